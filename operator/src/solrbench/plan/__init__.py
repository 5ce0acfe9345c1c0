"""From a spec to ordered work, without I/O.

- `names`: every name and label of every object, in one place
- `state_path`: where in which ZooKeeper a SolrCloud keeps its state
- `passes`: repeats, variants and steps in the order they are measured
- `variants`: the doors of the target as addresses
- `index_plan`, `load_plan`: what the pods of a benchmark are told, as JSON on their disk
- `access`: files with which pods come into an existing target
- `words`: the vocabulary that generated documents and generated queries share
"""
