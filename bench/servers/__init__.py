"""Targets: servers on loopback that count their responses.

- `nginx`: the smallest responses, as fast as a server can be
- `canned`: responses of ten documents, as Solr gives them; `responses` makes them
- `delays`: responds late on purpose and keeps how late; `distributions` says how late
- `running`: starts one in a process of its own
"""
