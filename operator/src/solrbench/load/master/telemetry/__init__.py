"""Telemetry of a step run, read by the load master itself and never by the operator.

- `sampler`: when is what read
- `sources`: what can be read; `solr_source`, `zookeeper_source`, `agent_source` for pods and their
  machines, `machine_source` and `own_pod_source` for those of the load master
"""
