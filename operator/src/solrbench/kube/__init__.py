"""The client of the Kubernetes API, and what is kept there: results, evidence, facts.

The operator sends its requests by the official client, the commands by httpx2: the library of
Kubernetes has 120 MB, most of it models that are not used here (docs/adr/0016).
"""
