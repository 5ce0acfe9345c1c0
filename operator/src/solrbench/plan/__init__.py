"""From a spec to ordered work, without I/O.

- `names`: every name and label of every object, in one place
- `state_path`: where in which ZooKeeper a SolrCloud keeps its state
- `passes`: repeats, variants and steps in the order they are measured
- `variants`: the doors of the target as addresses
- `index_plan`, `load_plan`: what the pods of a benchmark are told, as JSON on their disk
- `workload_files`: the lists of a workload, where they are mounted, its seeds
- `access`: files with which pods come into an existing target
- `words`, `generated_documents`: the vocabulary that generated documents and queries share; the
  documents themselves
"""
