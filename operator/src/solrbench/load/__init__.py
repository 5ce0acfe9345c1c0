"""The load: Locust's master and workers steer, our own asyncio core sends the requests.

Pure:

- `queries`, `generated`: the list of queries, from a file or from the dataset's vocabulary
- `requests`: queries as the bytes of HTTP requests, prepared once
- `assignment`: what one worker does in one pass; shares that add up exactly
- `order`, `thinking`, `seeds`: which query comes next and how long a user waits, from seeds
- `answers`: is this answer a good one?
- `recording`, `outcome`: what is counted while a pass runs, and what is left of it
- `merging`: the outcomes of all workers as one document

The core, which runs in an event loop of its own and knows nothing of Locust:

- `connection`: one virtual user on one keep-alive connection
- `core`: the users of one worker and the pass they are in

Around Locust; importing these monkey-patches the process:

- `command`, `__main__`: entry points; `failures`: why a run ends and with which exit code
- `worker`, `bridge`, `idle_user`, `pump`: a worker, its core in a native thread, its statistics
- `master`, `conductor`, `crew`, `ladder`, `dispatcher`: the master and the order of events
- `store`, `web`: finished documents until they are acknowledged; HTTP for the operator
"""
