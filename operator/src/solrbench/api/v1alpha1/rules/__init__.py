"""Rules that span several parts of the spec.

- `generated`: what is made from the generated dataset
- `routing`: routing by the prefixes of ids
- `heap`: the Java heap of Solr and ZooKeeper
- `duration`: steps and their deadline
- `storage_limits`: how many results fit into status and report
"""
