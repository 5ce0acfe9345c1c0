"""What the API server calls our kinds, without their models: commands that need none start fast."""

GROUP = "solrbench.io"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"

KIND = "SolrBenchmark"
PLURAL = "solrbenchmarks"
SHORT_NAME = "sbench"

SWEEP_KIND = "SolrBenchmarkSweep"
SWEEP_PLURAL = "solrbenchmarksweeps"
SWEEP_SHORT_NAME = "ssweep"

BENCHMARKS = (API_VERSION, KIND)
"""`apiVersion` and `kind`, as the client of the cluster takes them."""
SWEEPS = (API_VERSION, SWEEP_KIND)
