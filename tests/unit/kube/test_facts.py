"""Nodes of all kinds are recorded."""

from typing import Any

import pytest

from solrbench.cluster.environment import record_environment
from solrbench.results.model.environment import Environment, NodeRecord
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored

BENCHMARK = stored()


def recorded(status: dict[str, Any], labels: dict[str, str] | None = None) -> NodeRecord:
    """Return what is recorded of a node with this status."""
    (found,) = recorded_environment(status, labels).nodes
    return found


def recorded_environment(
    status: dict[str, Any], labels: dict[str, str] | None = None
) -> Environment:
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "one",
            "namespace": BENCHMARK.metadata.namespace,
            "labels": {"solrbench.io/benchmark": BENCHMARK.metadata.name},
        },
        "spec": {"nodeName": "virtual"},
    }
    metadata = {"name": "virtual", "namespace": "", "labels": labels or {}}
    node = {"kind": "Node", "metadata": metadata, "status": status}
    return record_environment(FakeCluster(pod, node), BENCHMARK, None)


@pytest.mark.parametrize(
    ("memory", "wanted"), [("1e9", 10**9), ("128974848000m", 128974848), ("2Pi", 2 << 50)]
)
def test_capacity_in_any_quantity_is_recorded(memory: str, wanted: int) -> None:
    found = recorded({"capacity": {"cpu": "1e1", "memory": memory}, "nodeInfo": {}})
    assert (found.cpu_cores, found.memory_bytes) == (10.0, wanted)


@pytest.mark.parametrize("status", [{}, {"capacity": {"cpu": "many", "memory": ""}}])
def test_what_a_node_does_not_report_is_absent(status: dict[str, Any]) -> None:
    assert recorded(status) == NodeRecord(name="virtual")


def test_machine_type_zone_and_versions_are_recorded() -> None:
    labels = {
        "node.kubernetes.io/instance-type": "m6i.2xlarge",
        "topology.kubernetes.io/zone": "eu-central-1a",
    }
    info = {
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        "containerRuntimeVersion": "containerd://1.7.24",
        "kubeletVersion": "v1.31.4",
    }
    assert recorded({"nodeInfo": info}, labels) == NodeRecord(
        name="virtual",
        instance_type="m6i.2xlarge",
        zone="eu-central-1a",
        os_image="Debian GNU/Linux 12 (bookworm)",
        container_runtime="containerd://1.7.24",
        kubelet_version="v1.31.4",
    )


def test_node_of_each_pod_is_recorded() -> None:
    (attempt,) = recorded_environment({}).attempts
    assert attempt.pods == {"one": "virtual"}
