"""The index command: documents from a source into the leaders of a collection.

Documents flow `source → partition → clean → route → batch → post`, one stage after another, in
constant memory: a reader thread makes update requests, a bounded queue holds it back, streams post
them.

- `command`: the command of an index pod, its exit code and its termination message
- `posting`: leaders of the shards; batches posted with retries
- `routing`: the shard of a document; documents gathered into update requests
- `sources`: documents from files, downloads or the generator
- `progress`, `progress_server`: what has been done, over HTTP and as the termination message
- `retries`: what is tried again, how often, and how long to wait before
- `pod_client`: index pods as the operator sees them
- `errors`: why an index run ends, and whether another try can help
"""
