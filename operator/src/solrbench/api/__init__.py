"""The resource as its user sees it: models, rules and the CRD made from them.

- `v1alpha1`: the models of `SolrBenchmark`, one file per part of the spec, and its status
- `identity`: what the API server calls the kinds
- `rules`: a rule that spans fields, once as CEL for the API server and once in Python
- `kinds`: the kinds of resource: model, names, columns
- `quantities`: Kubernetes quantities as numbers
- `problems`: what is wrong with a resource, in words
- `schema`: structural schemas from models
- `crd`: the CustomResourceDefinition generated from the models
- `reference`: the page that documents it
- `reason_reference`: the page that documents the reasons of its conditions
"""
