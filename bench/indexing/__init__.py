"""Measurements of the index client: what a document costs it, and Solr, side by side with peers."""
