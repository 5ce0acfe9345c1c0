"""Results as they are pulled from the load master and stored.

- `request_counts`: the numbers of one request name, which add up
- `step_result`: the result of one step of one repeat
- `window_series`: its seconds, as columns of numbers
- `windows`: other slices of it: windows of a thousand requests, samples of Solr's caches
- `failure_kinds`: kinds of failed requests that checks look for
- `environment`: what the benchmark ran on
- `storage`: a result as compressed chunks that fit into ConfigMaps
"""
