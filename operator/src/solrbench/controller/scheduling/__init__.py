"""When a benchmark is reconciled, runs, and is watched again.

- `benchmark_queue`: the benchmarks that run or wait, as the watch shows them
- `reconcile_schedule`: when each benchmark is reconciled
- `watch_retries`: how often kopf repeats requests that failed
"""
