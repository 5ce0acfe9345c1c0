"""When a benchmark is reconciled, runs, and is watched again.

- `benchmark_queue`: the list of benchmarks that those in the queue share
- `pauses`: which benchmarks need no reconcile for some time
- `watch_retries`: how often kopf repeats requests that failed
"""
