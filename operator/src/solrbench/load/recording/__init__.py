"""What a worker counts while a step runs.

- `recorder`: every request, by name and second; `request_stats`: the counts of one name,
  `request_result`: what is sent of them
- `window_sums`: the seconds of a name, rolled up as a step gets longer
- `response_times`: what an open loop counts besides
- `slow_requests`: the slowest requests
- `micro_batches`: sums of few requests each, of which the master makes windows of a thousand
- `node_counts`: what an open loop counts of each node; `connection_counts`: connections opened
- `worker_result`: the result of one worker
- `name_limit`: names that are not known beforehand, limited in number
"""
