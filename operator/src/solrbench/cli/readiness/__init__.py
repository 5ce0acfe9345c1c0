"""Whether a cluster is ready for benchmarks.

- `checks`: what must be there, one check each
- `node_capacity`: whether pods find room on nodes, in words (`sweep.needs` counts them)
- `cluster_facts`: the operator and the definition
"""
