"""kopf handlers and the reconcile loop; the only package that imports kopf.

The schedule runs one reconcile of a benchmark after another. A reconcile observes, decides,
applies, and writes status once; any of them may be the first after a crash.

- `settings`: the operator's environment
- `main`: the process; `handlers`: kopf wiring, the only module that kopf knows
- `kopf_settings`: how kopf is set up
- `reconcile`: one reconcile, stage by stage
- `stages`: what each stage does
- `provisioners`: the ways to a target
- `objects`: the objects of a benchmark, one by one
- `deletion_handlers`: what is left of benchmarks that are deleted, or gone
- `deletion`: the objects a benchmark owns, deleted
- `context`: what the stages of one reconcile share
- `endpoint`: where and how a target is reached
- `baseline`: the results beside those of the baseline
- `status_writer`: the one place that writes the status
- `sweeps`: the second kind, with handlers and a reconcile of its own
- `scheduling`: when a benchmark is reconciled, runs, and is watched again
- `sweeps`: the second kind, with handlers and a reconcile of its own
- `invalid`: a stored resource that breaks the schema
- `events`: what users should notice, as Kubernetes events
"""
