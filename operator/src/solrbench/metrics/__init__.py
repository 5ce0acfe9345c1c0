"""What Prometheus scrapes.

- `operator_metrics`: metrics of the operator itself, the whole of one process, and the server
- `benchmarks`: metrics of benchmarks, rendered from their latest status
- `finished_benchmark`: what is kept of a benchmark that is over
- `result_metrics`: those of them that show what was measured
- `metric_family`: what one metric of benchmarks is
- `sweeps`: metrics of sweeps, rendered from their latest status
- `reference`: the page that lists those of benchmarks and sweeps
"""
