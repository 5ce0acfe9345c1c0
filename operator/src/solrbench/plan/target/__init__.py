"""Where the target of a benchmark is.

- `solr_addresses`: where the nodes of a provisioned SolrCloud are
- `zookeeper_path`: where in which ZooKeeper a SolrCloud keeps its state
- `variant_endpoints`: the endpoints of each variant
"""
