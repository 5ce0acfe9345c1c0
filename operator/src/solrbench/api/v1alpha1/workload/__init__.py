"""`spec.workload`: the requests.

- `workload`: the list of queries, the mix or the locustfile
- `queries`: a list of queries and where it comes from
- `mix`: entries of a mix: queries, updates and transactions
- `locustfile`: users written for Locust
"""
