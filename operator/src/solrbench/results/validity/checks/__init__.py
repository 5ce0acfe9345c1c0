"""What may be wrong with results: each check finds the worst of its kind, or nothing.

A check that lacks its evidence says so. It never takes silence for health.

- `finding`: what a check returns, and the largest finding of several
- `generator`: was the load generator itself the bottleneck?
- `workers`: did one load worker see other service times than the others?
- `hosts`: did others take the CPU of load workers?
- `pods`: were workers lost, throttled or restarted?
- `responses`: how many requests failed, how many results were partial or empty
- `target`: was it one target with a clean index?
- `schedule`: were the requests of an open loop sent as planned, and each query once?
- `intervals`: was the step long enough for 95 % intervals?
- `steadiness`: did service times still change at the end?
- `repeats`: do the repeats of a step agree?
- `placement`: did pods share Kubernetes nodes that must not?
- `registry`: all checks by their reason
"""
