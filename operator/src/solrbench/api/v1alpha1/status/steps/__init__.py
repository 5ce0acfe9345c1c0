"""What was measured of one step.

- `step_result`: the table that everything shown is read from
- `result_field`: what a row of that table says: unit, columns, metric
- `intervals`: bounds of its figures; `distribution`: its response times as counts
"""
