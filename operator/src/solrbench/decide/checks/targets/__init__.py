"""Checks of the target, until it can be measured.

- `provisioning`: how far the pods of ZooKeeper and Solr are
- `zookeeper`: whether the ZooKeeper that others make or run can serve
- `solr_operator`: how far the Solr Operator is with a SolrCloud
- `existing_target`: an existing target: its SolrCloud, its nodes, and whose the collection is
- `target`: the nodes of a target beside the spec, and beside what they were when it became ready
"""
