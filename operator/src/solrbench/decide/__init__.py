"""What to do next, decided from what was observed, without I/O.

- `checks`: chains of checks over what a stage observed
- `views`: pods and Jobs reduced to what decisions need
- `solr_views`: nodes and replicas of Solr reduced to what decisions need
- `pods`: what pods show, and why some are missing or cannot end
- `solr_cloud_readiness`: whether a SolrCloud of the Solr Operator is ready, and what is missing
- `allowed_hosts`: which hosts an existing target may have
- `repeats`: which repeat starts on a target or data of its own
- `reuse`: what a point of a sweep takes over from the one before
- `resume`: where a new attempt of the load goes on in the lists of the workload
- `scheduling`: when a benchmark runs, and is reconciled again
- `ownership`: to which resource an object belongs
- `internal_errors`: exceptions that no reason describes
- `status`: what is stored of a status where it is too large, or refused
- `index_progress`: progress of all index pods together
- `deadlines`: how long each stage may take
- `conditions`: the conditions, the phase and the progress that are shown
"""
