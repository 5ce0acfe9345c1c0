"""Which shard a document belongs to, and the requests that take it there (pure).

- `routes`: the shard of a document, computed as Solr does
- `batches`: documents gathered per shard into the bodies of update requests
"""
