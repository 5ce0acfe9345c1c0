"""The load master: runs the plan on its workers and keeps the results until acknowledged.

- `master`: the process
- `run_coordinator`: the order of the step runs; `step_run_executor`: one of them, and retries
- `run_status`: the stage of the run, as the operator sees it
- `worker_pool`: the workers: membership, losses, one step run at a time
- `list_offsets`: where lists go on after a step run, or after an attempt that was lost
- `merging`: results of all workers as one
- `steady_state`: the end of a warm-up
- `caches`: Solr's caches while a step runs
- `metrics_client`: the HTTP client of what is sampled meanwhile
- `diagnostics`: thread dumps, GC logs and flight recordings of Solr in one repeat
- `telemetry`: servers, read while a step runs
- `target_probe`: does the target respond?
- `throughput`: requests per second
- `result_store`, `http_api`: results until they are acknowledged, over HTTP
"""
