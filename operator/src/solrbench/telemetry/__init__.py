"""What is told to Prometheus.

- `metrics`: metrics of the operator itself, the whole of one process, and the server
- `benchmarks`: metrics of benchmarks, rendered from their latest status
- `results`: those of them that tell what was measured
- `family`: what one metric of benchmarks is
"""
