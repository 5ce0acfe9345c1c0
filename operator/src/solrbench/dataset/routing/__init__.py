"""Which shard a document belongs to, and the requests that take it there (pure).

- `routes`: the shard of a document, computed as Solr does
- `murmur3`: the hash that Solr routes by
- `batches`: documents gathered per shard into the bodies of update requests
"""
