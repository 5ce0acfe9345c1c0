"""The report of a sweep. Pure: a sweep and the benchmarks of its points in, text out.

- `model`: the full report, as JSON has it; `build`: from the resources as they are stored
- `tables`: points, objectives, failures, as texts
- `comparison`: two sweeps beside each other
- `markdown`, `csv`, `junit`: the other forms
"""
