"""The load core against peers, and its figures against what servers saw.

- `throughput`, `cost`, `scaling`: requests per CPU-second, a modest rate, a second worker
- `accuracy`, `arrivals`, `gaps`, `stalls`, `saturation`: figures and schedules
- `merged_histograms`: the histogram of four workers against that of all their samples
- `many_users`, `many_workers`, `long_step`, `large_query_file`: sizes
- `telemetry_cost`: what telemetry takes from the target

"""
