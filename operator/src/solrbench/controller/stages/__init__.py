"""The stages of a reconcile, in their order; each looks first whether its work is done.

- `references`: everything that the spec refers to exists
- `queueing`: the benchmark waits for its turn
- `reuse`: a point of a sweep goes on with the target of the one before
- `repeats`: a repeat starts on a target, or on data, of its own
- `target`: Solr and ZooKeeper are made, or found, then checked
- `indexing`: the index Job runs, then Solr counts the documents
- `load`: Locust runs the steps; `load_results`: what they return is stored; `result_status`: and
  shown
- `late_evidence`: pod events that arrive after a step was stored
- `cleanup`: success, failure, clean-up, time to live, suspension
"""
