"""The report of a sweep. Pure: a sweep and the benchmarks of its points in, text out.

- `model`: the full report, as JSON has it; `build`: from the resources as they are stored
- `tables`: points, objectives, failures, as texts
- `markdown`, `csv`, `junit`: the other forms
"""
