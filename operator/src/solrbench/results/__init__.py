"""Numbers, without I/O.

- `document`: the result of one step of one repeat, as pulled from the load master and stored
- `histograms`: latency histograms that merge exactly
- `passes`: stored passes by step and variant
- `arrivals`: how planned arrivals were sent
- `merge`: documents of all repeats into the status; `times`: its times and their spread
- `comparison`: variants of a target against the first of them
- `slow`: the slowest requests as lines
- `compared`: comparisons in words
- `windows`, `seconds`: slices of a pass; `steadiness`, `outliers`, `cold_start`: what they show
- `checks`: what may be wrong with one pass; `verdict`: whether a step may be believed
- `judged`: verdicts in words
- `render`, `render_windows`, `figures`: numbers and tables as people read them
- `report`: the stored form of the whole benchmark
"""
