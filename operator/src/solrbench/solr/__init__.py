"""Solr and ZooKeeper as the operator talks to them.

- `client`: HTTP with errors turned into ours
- `cluster`: live nodes, replicas and where they are
- `archive`: the built-in config set (folder `configset`), and zips for the upload
- `properties`: caches and query settings as names of the Config API
- `collections`: config set, collection, caches: made and read back
- `cluster_nodes`: every node and replica of an existing cloud, read through one endpoint
- `managed_collection`: our collection among those of others
- `dns`: host names resolved, so that they can be checked
- `replica_counts`: commit, and documents on every replica
- `zookeeper`: four-letter words to the ensemble
"""
