"""solr."""
