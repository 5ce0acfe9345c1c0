"""The two ways to pods of Solr and ZooKeeper.

- `provisioner`: which of them a benchmark gets
- `stateful_set`: Services and StatefulSets of our own
- `solr_operator`: a SolrCloud resource of the Apache Solr Operator
- `zookeeper`: the ensemble of either
- `target_status`: the target's part of the status
"""
