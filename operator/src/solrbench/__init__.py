"""solrbench: a Kubernetes operator that benchmarks SolrCloud topologies.

Three rings, kept apart by import-linter:

- the pure core: `api` (the resource), `plan` (spec to ordered work), `results` (numbers),
  `manifests` (objects to create), `decide` (what to do next), `sweep` (several benchmarks);
- the adapters: `cluster` (Kubernetes), `solr`, `dataset`, `load`, `metrics`;
- the handlers: `controller` (kopf) and `cli`.

`generate` writes every file that is made from the models.
"""
