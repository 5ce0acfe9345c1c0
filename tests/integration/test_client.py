"""The client against the real API server, over both of its connections."""

from collections.abc import Callable, Iterator
from ipaddress import ip_address

import pytest
from kubernetes import client, config

from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1 import GROUP, VERSION
from solrbench.contract.names import MANAGER
from solrbench.decide.evidence import MAX_BYTES
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster, connect
from solrbench.kube.official import open_officially
from solrbench.kube.reader import Manifest
from support.cluster.admission import reach_api_server
from support.cluster.benchmark_objects import own_namespace
from support.failing import failing
from support.resources.small_resource import resource

pytestmark = pytest.mark.cluster

Connect = Callable[[], Cluster]


@pytest.fixture(params=[connect, lambda: Cluster(open_officially())], ids=["commands", "operator"])
def connected(request: pytest.FixtureRequest) -> Connect:
    """How the commands, or the operator, connect."""
    found: Connect = request.param
    return found


def test_api_server_reports_its_address(connected: Connect) -> None:
    reach_api_server()
    found = connected().server_hosts()
    config.load_kube_config()
    slices = client.DiscoveryV1Api().list_namespaced_endpoint_slice(
        "default", label_selector="kubernetes.io/service-name=kubernetes"
    )
    behind = {
        each for part in slices.items for endpoint in part.endpoints for each in endpoint.addresses
    }
    assert behind & {str(ip_address(host)) for host in found[1:]}


@pytest.fixture
def namespace() -> Iterator[str]:
    reach_api_server()
    config.load_kube_config()
    with own_namespace("client") as objects:
        yield objects.namespace


def event(namespace: str, name: str, reason: str) -> Manifest:
    return {
        "metadata": {"generateName": "test-", "namespace": namespace},
        "involvedObject": {"kind": "Pod", "name": name, "namespace": namespace, "uid": "u"},
        "reason": reason,
        "message": "m",
        "type": "Warning",
    }


def test_events_of_an_object_are_found_with_and_without_their_reason(
    namespace: str, connected: Connect
) -> None:
    api = client.CoreV1Api()
    for name, reason in (("one", "BackOff"), ("one", "Failed"), ("two", "Failed")):
        api.create_namespaced_event(namespace, event(namespace, name, reason))
    cluster = connected().within(5.0)
    found = {each["reason"] for each in cluster.events(namespace, "Pod", "one")}
    assert found == {"BackOff", "Failed"}
    (failed,) = cluster.events(namespace, "Pod", "one", "Failed")
    assert failed["involvedObject"]["name"] == "one"


def test_log_of_a_missing_pod_is_not_found(namespace: str, connected: Connect) -> None:
    with failing(TemporaryError, "NotFound"):
        connected().pod_log(namespace, "none", "solr", previous=False, lines=5, max_bytes=100)


def test_config_map_holds_all_that_is_kept_of_failures(namespace: str, connected: Connect) -> None:
    manifest = owned(namespace, None, **{f"load-{i}": "x" * (MAX_BYTES // 4) for i in range(4)})
    assert connected().apply(manifest)["data"] == manifest["data"]


def owned(namespace: str, owner: Manifest | None, **data: str) -> Manifest:
    """Return a ConfigMap; its controller exists, or the garbage collector would delete it."""
    metadata: Manifest = {"name": "taken", "namespace": namespace}
    if owner is not None:
        of_owner = {"name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "controller": True, **of_owner}
        metadata["ownerReferences"] = [reference]
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def store_owner(namespace: str, name: str) -> Manifest:
    body = owned(namespace, None)
    return connect().apply(body | {"metadata": {"name": name, "namespace": namespace}})


def test_own_object_is_created_changed_and_created_again(
    namespace: str, connected: Connect
) -> None:
    cluster, key = connected(), ("v1", "ConfigMap", namespace, "taken")
    owner = store_owner(namespace, "owner")
    first = cluster.apply(owned(namespace, owner, a="1", b="1"))
    assert cluster.apply(owned(namespace, owner, a="2"))["data"] == {"a": "2"}  # b was ours
    third = connected().apply(owned(namespace, owner, a="3"))
    assert third["metadata"]["uid"] == first["metadata"]["uid"]
    cluster.delete(*key)
    assert cluster.apply(owned(namespace, owner, a="4"))["data"] == {"a": "4"}
    cluster.delete(*key)
    second = connected().apply(owned(namespace, owner, a="5"))
    again = cluster.apply(owned(namespace, owner, a="6"))  # it remembers the one before
    assert again["metadata"]["uid"] == second["metadata"]["uid"]


@pytest.mark.parametrize("other", [None, "other"])
def test_object_of_others_without_a_common_field_is_not_taken_over(
    namespace: str, connected: Connect, other: str | None
) -> None:
    foreign_owner = None if other is None else store_owner(namespace, other)
    foreign = connected().apply(owned(namespace, foreign_owner, theirs="1"), "tests")
    cluster, owner = connected(), store_owner(namespace, "owner")
    for _ in range(2):
        with failing(TemporaryError, "NameTaken", "ConfigMap taken in"):
            cluster.apply(owned(namespace, owner, ours="1"))
    assert cluster.get("v1", "ConfigMap", namespace, "taken") == foreign


def test_watch_shows_metadata_of_what_has_the_label(namespace: str, connected: Connect) -> None:
    cluster = connected()
    for name, labels in (("one", {"of": "a"}), ("two", {}), ("three", {"of": "b"})):
        body = owned(namespace, None)
        body["metadata"] |= {"name": name, "labels": labels}
        cluster.apply(body)
    opened: list[bool] = []
    changes = cluster.watch_changes(
        "v1", "ConfigMap", namespace, "of", seconds=2, on_open=lambda: opened.append(True)
    )
    seen = {each["name"]: each["labels"]["of"] for each in changes}
    assert (seen, opened) == ({"one": "a", "three": "b"}, [True])


def test_large_lists_come_in_parts(
    namespace: str, monkeypatch: pytest.MonkeyPatch, connected: Connect
) -> None:
    cluster, labels = connected(), {"of": "the-test"}
    for number in range(5):
        metadata = {"name": f"own-{number}", "namespace": namespace, "labels": labels}
        own = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}
        cluster.apply(own)
        foreign = {"name": f"other-{number}", "namespace": namespace}
        cluster.apply({**own, "metadata": foreign})
    monkeypatch.setattr("solrbench.kube.reader.LISTED_AT_ONCE", 2)
    found = cluster.list_in_parts("v1", "ConfigMap", namespace, labels)
    assert sorted(each["metadata"]["name"] for each in found) == [
        f"own-{number}" for number in range(5)
    ]
    monkeypatch.setattr("solrbench.kube.reader.METADATA_AT_ONCE", 3)
    everything = list(cluster.list_metadata("v1", "ConfigMap", namespace))
    assert len({each["metadata"]["uid"] for each in everything}) >= 10
    assert not any("data" in each for each in everything)


def test_fields_of_a_status_are_not_stored_twice(namespace: str, connected: Connect) -> None:
    """A third of a small resource would be the list of them in its metadata."""
    reach_api_server().install_definition()
    metadata = {"name": "small", "namespace": namespace}
    status = {"phase": "Queued", "answers": ["none"], "attempts": {"load": 1, "target": 2}}
    cluster = connected()
    stored = cluster.store_status(cluster.create(resource() | {"metadata": metadata}), status)
    assert stored["status"] == status
    shown = client.CustomObjectsApi().get_namespaced_custom_object(
        GROUP, VERSION, namespace, BENCHMARK.plural, "small"
    )
    fields = shown["metadata"]["managedFields"]
    (written,) = [each for each in fields if each.get("subresource") == "status"]
    assert written["manager"] == MANAGER
    assert written["fieldsV1"] == {"f:status": {}}
