"""What is told to Prometheus.

- `metrics`: metrics of the operator itself, the whole of one process, and the server
- `benchmarks`: metrics of benchmarks, rendered from their latest status
"""
