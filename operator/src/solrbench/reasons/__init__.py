"""Every reason of a condition, with its kind, its meaning and what to do: one entry each.

- `kinds`: the base of all reasons, and the kinds
- `lifecycle`: the benchmark as a whole: acceptance, queue, end, clean-up, access to other systems
- `pod`: why a pod does not run
- `target`: Solr, ZooKeeper and the collection
- `companions`: objects that are made beside the target
- `indexing`: the index Job and the number of documents
- `load`: the load's Jobs, the workload and the stored results
- `registry`: all of them together
"""
