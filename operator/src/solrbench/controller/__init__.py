"""kopf handlers and the reconcile loop; the only package that imports kopf.

The schedule runs one reconcile of a benchmark after another. A reconcile observes, decides,
applies, and writes status once; any of them may be the first after a crash.

- `settings`: the operator's environment
- `main`: the process; `uninstall`: what is done before its release is deleted
- `handlers`: what kopf calls, events, unforeseen exceptions
- `sweeps`: the second kind, with handlers and a reconcile of its own
- `reconcile`: one reconcile, stage by stage
- `stages`: what each stage does
- `provisioners`: the ways to a target; `companions`: the manifests beside it
- `objects`: the objects of a benchmark, one by one
- `deletion`: the objects a benchmark owns, deleted
- `context`: what the stages of one reconcile share
- `endpoint`: where and how a target is reached
- `baseline`: the results beside those of the baseline
- `status_writer`: the one place that writes the status
- `scheduling`: when a benchmark is reconciled, runs, and is watched again
- `invalid`: a stored resource that breaks the schema
"""
