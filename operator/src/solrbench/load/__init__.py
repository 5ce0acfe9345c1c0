"""The load: Locust's master and workers steer, our own asyncio core sends the requests.

Pure:

- `queries`, `generated`: the list of queries, from a file or from the dataset's vocabulary
- `requests`: queries as the bytes of HTTP requests, prepared once
- `offer`, `mixing`: all that a workload may send, as parts that a pass draws from
- `updates`: documents as requests, made when they are taken
- `transactions`, `templates`, `extracting`, `flow`: requests that pass values on
- `target`: what a plan asks, and whom
- `assignment`: what one worker does in one pass; shares that add up exactly
- `arrivals`: when the requests of an open loop are due
- `order`, `thinking`, `seeds`: which query comes next and how long a user waits, from seeds
- `bookmark`: where lists go on after a pass, or after a try that was lost
- `seating`, `classes`: which worker runs which user, and of which class it is
- `naming`: request names, and what the answers to them do not show
- `request_names`: names that are not known beforehand, kept few
- `answers`, `checking`: is this answer a good one, and what was expected?
- `recording`, `slow`, `outcome`: what is counted while a pass runs, and what is left of it
- `own_slow`: what the user's own users tell of a slow request
- `responses`: what an open loop counts besides
- `merging`: the outcomes of all workers as one document; `granules`, `thousands`: its windows of
  a thousand requests
- `steady_watch`: the end of a warm-up; `cache_metrics`: what Solr tells of its caches
- `speedometer`, `messages`, `settings`: requests per second; what both sides agree on

The core, which runs in an event loop of its own and knows nothing of Locust:

- `stamped_socket`: a socket that tells when bytes came; `connection`: what they say as HTTP
- `asker`: one request after another over a connection; `user`: a user who waits for each answer
- `open_loop`: the arrivals of an open loop, over many a `planned_asker`; `alarm`: wakes in time
- `turns`: answers that came at once are followed by requests, then judged
- `running`: a pass with its users; `core`: one pass after another
- `usage`, `cgroups`: what measuring cost the worker, and what held it back

Around Locust; running one of these takes a process that gevent has patched:

- `__main__`, `command`: entry points; `failures`: why a run ends and with which exit code
- `worker`, `bridge`, `idle_user`, `pump`: a worker, its core in a native thread, its statistics
- `master`, `conductor`, `crew`: the page, the order of events, the workers
- `own_file`, `own_core`, `own_pass`: the user's own locustfile, in place of core and bridge
- `ladder`, `dispatcher`, `tuning`: how many users, on which worker; Locust's own intervals
- `cache_watch`: asks for the caches; `reach`: does the target answer? `store`, `web`: documents
  until they are acknowledged

For the operator: `remote`, the master as seen over HTTP.
"""
