"""Sweeps: which points a `SolrBenchmarkSweep` has, what is to be done next, what came of them.

Pure: the controller observes and applies.

- `field_paths`: fields of a benchmark by their paths; `axis_values`: the values of an axis
- `points`: the points of a design, named by their values; `expressions`: which are left out
- `child`: the benchmark of a point
- `needs`: time, CPU and memory of a point, and which points can use one target
- `validation`: what is wrong, by point and field; `plan`: all of it, in the order of measuring
- `offline`: a sweep of a file in words
- `views`: a sweep and its benchmarks as they are found; `states`: its points, one step further
- `reuse`: which point begins, on which target
- `rounds`: the end of a benchmark of a point, figures over rounds, and who needs another round
- `decision`: from there to the next status and the benchmarks to apply; `describe`: that status
- `results`: what came of the points
"""
