"""`spec.target`: what is measured.

- `target`: one of the following
- `solr_cloud`, `zookeeper`: a SolrCloud and its ensemble, made for the benchmark
- `existing`: a Solr that exists already
- `variant`: several endpoints of the same Solr, measured in turn
"""
