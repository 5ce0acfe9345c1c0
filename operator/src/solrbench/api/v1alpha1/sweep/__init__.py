"""The `SolrBenchmarkSweep` resource.

- `sweep`: the whole resource; `spec`: what is wished; `status`: what was observed
- `axes`: the fields that differ from point to point
"""
