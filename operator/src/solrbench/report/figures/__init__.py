"""Figures of a report, as data of the plotting library (ECharts) and as tables.

- `figure`: a figure, its legend and its table
- `parts`: axes, lines and colours that all figures share
- `distribution`: percentiles of the latency, by step or by request name
- `over_time`: latency and throughput of each repeat, second by second
- `load_curve`: throughput and latency against users or rate
- `capacity_curve`: latency against rate in a search for the capacity
- `time_slices`: a repeat, cut into parts
- `cold_start`: latency and cache hits of the first requests
"""
