"""What to do next, decided from what was observed, without I/O.

- `views`: pods and Jobs reduced to what decisions need
- `troubles`: what is wrong with a pod, as a reason and a remedy
- `pod_records`: what befell pods while a pass was measured
- `solr_cloud`: whether a SolrCloud of the Solr Operator is ready, and what is missing
- `hosts`: which hosts an existing target may have
- `resuming`: where a new attempt of the load goes on in the lists of the workload
- `queue`: which benchmark may run
- `deadlines`: which phase ran out of time
- `conditions`: the conditions, the phase and the progress that are shown
"""
