"""Numbers, without I/O.

- `document`: the result of one step of one repeat, as pulled from the load master and stored
- `histograms`: latency histograms that merge exactly
- `passes`: stored passes by step and variant
- `merge`: documents of all repeats into the status
- `comparison`: variants of a target against the first of them
- `compared`: comparisons in words
- `checks`: what may be wrong with one pass; `verdict`: whether a step may be believed
- `judged`: verdicts in words
- `report`: the stored form of the whole benchmark
"""
