"""Kubernetes as the operator uses it.

- `client`: server-side apply, reads, deletes; API errors become ours
- `definitions`: which fields a kind has in this cluster
- `reports`: results in ConfigMaps: stored, read back, evaluated
- `result_documents`: the same as they lie there
- `baselines`: what a benchmark is compared with
- `secrets`: credentials and authorities of existing targets
- `owned_objects`: the objects of a benchmark by their labels
- `environment`: what a benchmark runs on
"""
