"""kopf handlers and the reconcile loop; the only package that imports kopf.

One timer per benchmark runs one reconcile after another. A reconcile observes, decides, applies,
and writes status once; any of them may be the first after a crash.

- `settings`: the operator's environment
- `main`: the process; `handlers`: kopf wiring, the only module that kopf knows
- `reconcile`: one reconcile, stage by stage
- `stages`: what each stage does
- `provisioners`: the ways to pods of Solr and ZooKeeper
- `context`: what the stages of one reconcile share
- `endpoint`: where and how an existing target is reached
- `replica_sizes`, `config_set`: what several stages need of a collection
- `children`: the objects a benchmark owns
- `status_writer`: the one place that writes the status
- `benchmark_queue`: the list of benchmarks that those in the queue share
- `pauses`: which benchmarks need no reconcile for some time
- `invalid`: a stored resource that breaks the schema
- `events`: what users should notice, as Kubernetes events
"""
