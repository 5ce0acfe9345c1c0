"""Solr as the operator talks to it: clusters, collections, config sets, replicas."""
