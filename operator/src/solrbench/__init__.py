"""solrbench: a Kubernetes operator that benchmarks SolrCloud topologies.

A verb for each package: `api` says what is wanted and what was observed, `contract` is what two
processes agree on, `stats` counts, `analysis` concludes, `decide` permits, `manifests` builds,
`kube` and `solr` do, `sweep` plans several benchmarks, `load` and `index` run in pods, `present`
shows, `controller` and `cli` wire all of it. import-linter keeps the floors (docs/architecture.md).
"""
