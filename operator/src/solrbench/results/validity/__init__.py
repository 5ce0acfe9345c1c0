"""Whether results are valid.

- `checks`: what may be wrong with one step run
- `verdict`: the checks of all repeats of a step
- `overall`: the verdicts of all steps as one
"""
