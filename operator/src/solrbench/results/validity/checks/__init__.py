"""What may be wrong with one step run: each check finds the worst of its kind, or nothing.

A check that lacks its evidence says so. It never takes silence for health.

- `finding`: what a check returns, and the largest finding of several
- `generator`: was the load generator itself the bottleneck?
- `pods`: were workers lost, throttled or restarted?
- `responses`: how many requests failed, how many results were partial or empty
- `schedule`: were the requests of an open loop sent as planned, and each query once?
- `intervals`: was the step long enough for 95 % intervals?
- `registry`: all checks by their reason
"""
