"""Sweeps: which points a `SolrBenchmarkSweep` has, what is to be done next, what came of them.

Pure: the controller observes and applies.

- `field_paths`: fields of a benchmark by their paths; `axis_values`: the values of an axis
- `points`: the points of a design, named by their values; `order`: theirs
- `child`: the benchmark of a point
- `demand`: time, CPU and memory of a point
- `plan`: all of it, with every problem by point and field
- `offline`: a sweep of a file in words
- `decide`: observed benchmarks to the next status and the benchmarks to apply
- `outcome`: the best point; `differences`, `answers`: what axes show, in words
"""
