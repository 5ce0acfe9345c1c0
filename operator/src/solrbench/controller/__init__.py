"""kopf handlers and the reconcile loop; the only package that imports kopf.

One timer per benchmark runs one pass after another. A pass observes, decides, applies, and writes
status once; any pass may be the first after a crash.

- `settings`: the operator's environment
- `handlers`: kopf wiring, the only module that kopf knows
- `reconcile`: one pass, stage by stage
- `run`: what the stages of one pass share
- `accepting`, `provisioning`, `indexing`, `measuring`, `finishing`: the stages;
  `following` is the part of measuring that recurs while the load runs
- `amending`: evidence that comes after a step was stored
- `provisioners`: the ways to pods of Solr and ZooKeeper
- `existing`: the target stage where Solr is there already; `door`: the way into it
- `cores`, `config_set`: what several stages need of a collection
- `children`: the objects a benchmark owns
- `invalid`: a stored resource that breaks the schema
- `events`: what users should notice, as Kubernetes events
"""
