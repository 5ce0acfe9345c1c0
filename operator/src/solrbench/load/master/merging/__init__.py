"""Results of all workers as one document of a step run.

- `merge_results`: the document, and its request names
- `merge_nodes`: nodes and connections
- `request_windows`: windows of a thousand requests
- `compare_workers`: percentiles of single workers beside each other
- `series_limit`: series made short enough for their share of the report
"""
