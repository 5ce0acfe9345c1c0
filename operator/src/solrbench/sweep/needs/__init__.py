"""What a benchmark needs: pods, time, CPU and memory, and a target that is made in one way.

- `footprint`: its pods and the time of its load; `demand`: both in sums, as a sweep counts them
- `node_capacity`: whether pods find room on nodes
- `cluster_capacity`: the same for the points of a sweep
- `fingerprints`: which points can use one target
"""
