"""`status` of a `SolrBenchmark`: what was observed and measured.

- `status`: the whole of it
- `conditions`: conditions and attempts; the base of every part
- `target`: the target, its data and the load under way
- `results`: what was measured of each step
- `verdicts`: whether that is valid
"""
