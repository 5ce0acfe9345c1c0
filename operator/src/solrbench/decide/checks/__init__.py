"""Chains of pure checks, one module for each stage.

A stage observes once into a frozen value; `first_outcome` runs a chain of checks over it; the stage
applies the outcome.

- `outcome`: a check, its outcome, and what the stage does about it
- `references`: the objects that the spec refers to
- `baseline`: the benchmark that another one is compared with
- `targets`: the target, until it can be measured
- `collection`: shards, replicas and settings of the collection
- `indexing`: the index Job, and the documents that Solr holds at its end
- `load`: pods and Jobs of a load, and what its master reports
- `lifecycle`: deadlines, new attempts, clean-up, suspension
"""
