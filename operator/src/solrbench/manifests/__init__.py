"""Objects to create, built from a benchmark without I/O.

- `common`: owner, labels, security and resources that every pod shares
- `pod_options`: what the benchmark sets on pods: metadata, placement, ids, variables
- `disruption`: PodDisruptionBudgets of the pods while a run lasts
- `zookeeper`, `solr`: Services and StatefulSets of the target
- `solr_cloud`: the SolrCloud resource of the Solr Operator instead
- `job_pod`: what the index and load pods share
- `download_files`: credentials and certificates for downloads
- `index_job`: plan and Indexed Job that fill the collection
- `load`: plan, Service and Jobs of Locust's master and workers
- `export_job`: Job that writes the results to a volume or bucket
- `report`: ConfigMaps that keep the results
"""
