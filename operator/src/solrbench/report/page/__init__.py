"""What the HTML report shows. Pure: a report in, data of the template out.

- `cells`: cells of its tables, with intervals below their numbers
- `step_tables`: all steps at a glance, and each step with its request names
- `sections`: the steps, the tables of failures, environment and slow requests
- `page`: the whole page; `sweep_page`: that of a sweep
"""
