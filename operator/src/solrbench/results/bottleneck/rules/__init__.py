"""One rule for each resource: measured value against limit.

- `registry`: the rules in their order, and what to vary
- `surroundings`: the load pods, the machine, ZooKeeper; `outside`: a proxy, the network
- `memory`: memory and collector
- `nodes`: CPU, disk, threads, one node apart; `limits`: a figure against its limit
"""
