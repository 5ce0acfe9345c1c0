"""The index command: documents from a source into the leaders of a collection.

Documents flow `source → slice → clean → route → batch → post`, one stage after another, in constant
memory: a reader thread makes update requests, a bounded queue holds it back, streams post them.

- `command`: the command of an index pod, its exit code and its termination message
- `failures`: why an index run ends, and whether another try can help
- `documents`: the documents of one pod, whatever the source
- `generator`: the generated documents of one pod
- `files`, `download`: bytes from a mounted folder or over HTTP, unpacked while read
- `readers`, `xml_reader`: JSON, JSONL, CSV and Solr's XML as records
- `cleaning`: ids for documents without one, nested objects as dotted fields
- `slicing`: which positions of the dataset belong to which pod
- `murmur`, `routing`: the shard of a document, computed as Solr does
- `batches`: documents gathered into the bodies of update requests
- `leaders`, `sender`, `answers`: the leaders of the shards; batches posted with retries
- `backoff`: how long to wait before trying again
- `reader_thread`: the bridge from the blocking reader to the event loop
- `progress`, `progress_server`: what has been done, over HTTP and as the last message
"""
