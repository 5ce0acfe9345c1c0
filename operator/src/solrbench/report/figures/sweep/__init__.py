"""Figures of a sweep: each an option of ECharts, its description and its table.

- `differences`: all points beside the baseline, dots with intervals
- `axis_lines`: the figure of the objective along each axis
- `heat_map`: the same over two axes that are crossed
- `rounds`: that figure in each round
- `metric_axis`: name and labels of that figure
"""
