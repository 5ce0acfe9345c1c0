"""What Prometheus scrapes: the operator itself, benchmarks and sweeps from their latest status."""
