"""Results of all repeats, brought together per step and variant.

- `grouping`: stored step runs by step and variant
- `step_results`: all repeats of a step as its result in the status
- `latency_fields`: times of a step and their spread
- `open_loop`: response times of an open loop
- `arrivals`: how planned arrivals were sent
- `cold_start`: what the first requests show of empty caches
"""
