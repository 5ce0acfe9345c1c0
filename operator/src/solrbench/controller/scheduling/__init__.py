"""When a benchmark is reconciled, runs, and is watched again.

- `benchmark_queue`: the benchmarks that run or wait, as the watch shows them
- `reconcile_schedule`: when each benchmark is reconciled
- `run_watches`: wake a benchmark that runs when one of its pods or Jobs changes
- `running_loads`: whether a load needs a reconcile, as its master says
- `timed_reconcile`: one reconcile, timed, and when it is due again if it fails
- `watch_retries`: how often kopf repeats requests that failed
"""
