"""What servers and pods say of themselves, as readings; their differences are figures.

- `readings`: counters and gauges of one server at one moment, and the figures of a step run
- `solr_json`: Solr 9's metrics; `solr_prometheus`: those of Solr 10
- `zookeeper_monitor`: ZooKeeper's `mntr`
- `own_pod`: the control group of the pods of the load, which read themselves
- `summary`: the figures of all servers as they are stored

Nothing here does I/O but what runs in the pods: `agent`, a small server, and `kernel_files`, which
it reads.
"""
