"""The objects of a benchmark, one by one.

- `children`: what it owns, applied and listed
- `config_set`: the config set of a collection that is made
- `failure_evidence`: logs and events, kept before the pods of a failure go
- `lost_pods`: pods on lost nodes, found and force-deleted
"""
