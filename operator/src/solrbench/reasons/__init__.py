"""Every reason of a condition, with its kind, its meaning and what to do: one entry each.

- `kinds`: the base of all reasons, and the kinds
- `lifecycle`: the benchmark as a whole: acceptance, queue, references, end, access to Solr
- `pod`: why a pod does not run
- `target`: Solr, ZooKeeper and the collection
- `companions`: objects that are made beside the target
- `indexing`: the index Job and the number of documents
- `load`: the load's Jobs, the workload and the stored results
- `cleanup`: what is deleted at the end, and what is left
- `api_server`: what the API server responds
- `registry`: all of them together
"""
