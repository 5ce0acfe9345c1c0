"""Whether a cluster is ready for benchmarks.

- `checks`: what must be there, one check each
- `footprint`: what a benchmark makes and takes
- `node_capacity`: whether pods find room on nodes; `room`: the same in words
- `cluster_facts`: the operator and the definition
"""
