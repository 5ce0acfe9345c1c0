"""Grafana dashboards, written as code and generated as JSON into the chart.

- `queries`: PromQL of our metrics, with the variables of a dashboard
- `panels`: what a panel shows, in the words that all dashboards need
- `panel_builders`: each kind of panel by Grafana's SDK
- `boards`: variables, rows and places of a dashboard
- `live`, `results`, `servers`, `open_loop`, `fleet`, `sweeps`: what each dashboard shows
- `render`: the JSON files

The SDK is a development dependency: only `solrbench.generate` imports this package.
"""
