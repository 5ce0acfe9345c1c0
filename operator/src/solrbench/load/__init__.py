"""The load: Locust's master and workers coordinate, our own asyncio engine sends the requests.

Each package imports only from those below it:

- `entrypoints`, `__main__`: the processes; gevent must patch them before anything else
- `master`: runs the plan on its workers, merges and keeps results
- `worker`: runs the engine, or a locustfile
- `locust_runtime`: how Locust itself is used
- `engine`: sends requests in an event loop of its own, without Locust and gevent
- `recording`: counts them
- `workload`: prepares them
- `telemetry`: what servers say of themselves, parsed
- `schedule`: who sends what and when, from seeds; `validation`: is a response valid?
- `auth`, `errors`, `settings`: what all of them share

For the operator: `master_client`, the master as seen over HTTP.
"""
