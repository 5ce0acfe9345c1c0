"""The ways to a target.

- `provisioner`: what a provisioner does
- `registry`: which of them a benchmark gets, and the kinds that they own together
- `created`: what targets have in common whose pods are made for the benchmark
- `stateful_set`: Services and StatefulSets of our own
- `solr_operator`: a SolrCloud resource of the Apache Solr Operator
- `zookeeper`: the ensemble of either
- `existing`: a Solr that is there already
- `collection`: the check of a collection that was made
- `target_status`: the target's part of the status
"""
