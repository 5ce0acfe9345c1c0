"""The operator's own client against the real API server."""

from collections.abc import Iterator
from ipaddress import ip_address
from uuid import uuid4

import pytest
from kubernetes import client

from solrbench.cluster.client import connect
from support.cluster.admission import reachable_api_server

pytestmark = pytest.mark.cluster


def test_api_server_reports_its_address() -> None:
    if reachable_api_server() is None:
        pytest.skip("no cluster")
    found = connect().server_hosts()
    slices = client.DiscoveryV1Api().list_namespaced_endpoint_slice(
        "default", label_selector="kubernetes.io/service-name=kubernetes"
    )
    behind = {
        each for part in slices.items for endpoint in part.endpoints for each in endpoint.addresses
    }
    assert behind
    assert behind & {str(ip_address(host)) for host in found[1:]}


@pytest.fixture
def namespace() -> Iterator[str]:
    if reachable_api_server() is None:
        pytest.skip("no cluster")
    connect()
    name = f"client-{uuid4().hex[:8]}"
    client.CoreV1Api().create_namespace({"metadata": {"name": name}})
    yield name
    client.CoreV1Api().delete_namespace(name)


def test_large_lists_come_in_parts(namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, labels = connect(), {"of": "the-test"}
    for number in range(5):
        metadata = {"name": f"own-{number}", "namespace": namespace, "labels": labels}
        own = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}
        cluster.apply(own)
        foreign = {"name": f"other-{number}", "namespace": namespace}
        cluster.apply({**own, "metadata": foreign})
    parts = list(cluster.list_in_parts("v1", "ConfigMap", namespace, labels, 2))
    assert all(len(part) <= 2 for part in parts)
    found = [each["metadata"]["name"] for part in parts for each in part]
    assert sorted(found) == [f"own-{number}" for number in range(5)]
    monkeypatch.setattr("solrbench.cluster.client.METADATA_AT_ONCE", 3)
    everything = list(cluster.list_metadata("v1", "ConfigMap", namespace))
    assert len({each["metadata"]["uid"] for each in everything}) >= 10
    assert not any("data" in each for each in everything)
