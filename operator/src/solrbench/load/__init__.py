"""The load: Locust's master and workers steer, our own asyncio core sends the requests.

Pure:

- `queries`, `generated`: the list of queries, from a file or from the dataset's vocabulary
- `requests`: queries as the bytes of HTTP requests, prepared once; `target`: a plan's whole list
- `assignment`: what one worker does in one pass; shares that add up exactly
- `order`, `thinking`, `seeds`: which query comes next and how long a user waits, from seeds
- `seating`, `classes`: which worker runs which user, and of which class it is
- `request_names`: names that are not known beforehand, kept few
- `answers`: is this answer a good one?
- `recording`, `outcome`: what is counted while a pass runs, and what is left of it
- `merging`: the outcomes of all workers as one document
- `speedometer`, `messages`, `settings`: requests per second; what both sides agree on

The core, which runs in an event loop of its own and knows nothing of Locust:

- `connection`: one TCP connection; `asker`: one request after another over it; `user`: a user who
  waits for each answer
- `running`: a pass with its users; `core`: one pass after another

Around Locust; running one of these takes a process that gevent has patched:

- `__main__`, `command`: entry points; `failures`: why a run ends and with which exit code
- `worker`, `bridge`, `idle_user`, `pump`: a worker, its core in a native thread, its statistics
- `master`, `conductor`, `crew`: the page, the order of events, the workers
- `own_file`, `own_core`, `own_pass`: the user's own locustfile, in place of core and bridge
- `ladder`, `dispatcher`, `tuning`: how many users, on which worker; Locust's own intervals
- `reach`: does the target answer? `store`, `web`: documents until they are acknowledged

For the operator: `remote`, the master as seen over HTTP.
"""
