"""Whether a figure grew while a step ran: leaks, growing indexes, latency that creeps.

- `rule`: the rule that separates growth from sawteeth, filling caches, day waves and single steps
- `series_windows`: a series of readings as the windows that the rule takes
- `run_trends`: the trends of one step run
- `trends`: those of a step over its repeats, as they stand in the status
- `sentences`: a trend in words
"""
