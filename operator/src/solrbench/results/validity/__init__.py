"""Whether results are valid.

- `checks`: what may be wrong with one step run
- `step_verdicts`: the checks of all repeats of a step
- `overall_verdict`: the verdicts of all steps as one
"""
