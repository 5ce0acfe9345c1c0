"""Nodes of all kinds are recorded."""

from typing import Any, cast

import pytest

from solrbench.cluster.client import Cluster
from solrbench.cluster.environment import record_environment
from solrbench.results.model.environment import NodeRecord
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored

BENCHMARK = stored()


def recorded(status: dict[str, Any]) -> NodeRecord:
    """Return what is recorded of a node with this status."""
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "one",
            "namespace": BENCHMARK.metadata.namespace,
            "labels": {"solrbench.io/benchmark": BENCHMARK.metadata.name},
        },
        "spec": {"nodeName": "virtual"},
    }
    node = {"kind": "Node", "metadata": {"name": "virtual", "namespace": ""}, "status": status}
    (found,) = record_environment(cast(Cluster, FakeCluster(pod, node)), BENCHMARK, None).nodes
    return found


@pytest.mark.parametrize(
    ("memory", "wanted"), [("1e9", 10**9), ("128974848000m", 128974848), ("2Pi", 2 << 50)]
)
def test_capacity_in_any_quantity_is_recorded(memory: str, wanted: int) -> None:
    found = recorded({"capacity": {"cpu": "1e1", "memory": memory}, "nodeInfo": {}})
    assert (found.cpu_cores, found.memory_bytes) == (10.0, wanted)


@pytest.mark.parametrize("status", [{}, {"capacity": {"cpu": "many", "memory": ""}}])
def test_what_a_node_does_not_report_is_absent(status: dict[str, Any]) -> None:
    assert recorded(status) == NodeRecord(name="virtual")
