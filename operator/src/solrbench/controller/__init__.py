"""kopf handlers and the reconcile loop; the only package that imports kopf.

The schedule runs one reconcile of a benchmark after another. A reconcile observes, decides,
applies, and writes status once; any of them may be the first after a crash.

- `settings`: the operator's environment
- `main`: the process; `handlers`: kopf wiring, the only module that kopf knows
- `kopf_settings`: how kopf is set up
- `reconcile`: one reconcile, stage by stage
- `stages`: what each stage does
- `provisioners`: the ways to a target
- `deletion`: the objects a benchmark owns, deleted
- `context`: what the stages of one reconcile share
- `endpoint`: where and how a target is reached
- `config_set`: the config set of a collection that is made
- `baseline`: the results beside those of the baseline
- `children`: the objects a benchmark owns, applied and listed
- `failure_evidence`: logs and events, kept before the pods of a failure go
- `status_writer`: the one place that writes the status
- `lost_pods`: pods on lost nodes, found and force-deleted
- `sweeps`: the second kind, with handlers and a reconcile of its own
- `scheduling`: when a benchmark is reconciled, runs, and is watched again
- `sweeps`: the second kind, with handlers and a reconcile of its own
- `invalid`: a stored resource that breaks the schema
- `events`: what users should notice, as Kubernetes events
"""
