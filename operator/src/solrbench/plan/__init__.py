"""From a spec to ordered work, without I/O.

- `names`: every name and label of every object, in one place
- `shared_target`: the target that points of a sweep use one after another
- `solr_addresses`: where the nodes of a provisioned SolrCloud are
- `zookeeper_path`: where in which ZooKeeper a SolrCloud keeps its state
- `step_runs`: repeats, variants and steps in the order they are measured
- `companions`: what manifests of companions may hold
- `variant_endpoints`: the endpoints of each variant
- `index_plan`, `load_plan`: input of the pods of a benchmark, as JSON files
- `warm_up`: the warm-up before the first step
- `workload_files`: the lists of a workload, where they are mounted, its seeds
- `auth_files`: mounted files with the credentials of an existing target
- `vocabulary`, `document_generator`: the vocabulary that generated documents and queries share; the
  documents themselves
"""
