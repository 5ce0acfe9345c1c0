"""Telemetry of a step run, read by the load master itself and never by the operator.

- `sampler`: when is what read
- `sources`: what can be read; `solr_source`, `zookeeper_source`, `agent_source` for pods and their
  machines, `machine_source` for that of the load master
"""
