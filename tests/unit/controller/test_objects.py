"""What keeps a pod from its work, or from being made, is named, whichever component it is of."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.contract.names import EXPORT
from solrbench.controller.owned_objects import OwnedKind, OwnedObjects
from solrbench.controller.stages import load_results
from solrbench.decide.export import needs_export
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason, CleanupReason
from solrbench.reasons.load import LoadReason
from support.cluster.benchmarks import small
from support.controller.exported_benchmark import CLAIM, Course
from support.controller.world import World, condition_of, message_of
from support.controller.worlds import OWNED_BY_ONE, measured_so_far, solr_pod
from support.fakes.fake_cluster import refusal
from support.servers.api_stub import cluster_of, resources, status

Body = dict[str, Any]


def owner(api_version: str, kind: str, name: str, uid: str) -> Body:
    """Return a reference to the controller of an object."""
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": True}


@pytest.mark.parametrize(
    "owners",
    [
        [],
        [owner("solrbench.io/v1alpha1", "SolrBenchmark", "two", "2")],
        [owner("batch/v1", "Job", "mine", "uid-of-mine")],
        [owner("batch/v1", "Job", "one-load-master", "made-up")],
        [owner("apps/v1", "ReplicaSet", "orphan", "orphan")],
    ],
)
def test_pods_that_others_made_are_not_asked(
    owners: list[Body], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = measuring()
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")
    labels = {"solrbench.io/benchmark": "one", "app.kubernetes.io/component": "companion"}
    gone = owner("apps/v1", "Deployment", "gone", "gone")
    metadata = {"name": "orphan", "uid": "orphan", "labels": labels, "ownerReferences": [gone]}
    world.cluster.put({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata})
    world.cluster.put({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mine"}})
    asked = []

    def client(host: str, token: str, _: object) -> None:
        asked.append(host)
        raise TemporaryError(LoadReason.LOAD_MASTER_UNREACHABLE, "no")

    monkeypatch.setattr(load_results, "LoadMasterClient", client)
    pod = pending("one", "load-master", {"phase": "Running", "podIP": "192.0.2.1"})
    pod["metadata"] |= {"name": "theirs", "ownerReferences": owners}
    world.cluster.put(pod)
    world.reconcile("one")
    assert asked == []
    uid = world.cluster.objects["Job", "default", "one-load-master"]["metadata"]["uid"]
    pod = pending("one", "load-master", {"phase": "Running", "podIP": "192.0.2.2"})
    pod["metadata"]["ownerReferences"] = [owner("batch/v1", "Job", "one-load-master", uid)]
    world.cluster.put(pod)
    world.reconcile("one")
    assert asked == ["192.0.2.2"]


def waiting(reason: str) -> Body:
    """Return the status of a pod whose container waits."""
    state = {"waiting": {"reason": reason, "message": "why"}}
    return {"containerStatuses": [{"name": "main", "restartCount": 0, "state": state}]}


UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
BLOCKERS: dict[str, Body] = {
    "Unschedulable": {"conditions": [UNSCHEDULABLE | {"message": "0/3 nodes are available"}]},
    "ImagePullError": waiting("ImagePullBackOff"),
    "ContainerConfigError": waiting("CreateContainerConfigError"),
    "PodNotStarting": {},
}
"""Status of a pending pod by the reason that is shown."""
MINUTE = 60.0


def pending(benchmark: str, component: str, status: Body) -> Body:
    labels = {
        "solrbench.io/benchmark": benchmark,
        "app.kubernetes.io/component": component,
        "solrbench.io/attempt": "1",
    }
    metadata: Body = {"name": f"{benchmark}-{component}-0", "labels": labels}
    metadata |= {"creationTimestamp": "2026-01-01T12:00:00Z", "ownerReferences": OWNED_BY_ONE}
    return {"kind": "Pod", "metadata": metadata, "status": {"phase": "Pending"} | status}


def measuring() -> World:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    return world


@pytest.mark.parametrize("reason", BLOCKERS)
@pytest.mark.parametrize(
    ("component", "make", "type_"),
    [
        ("zookeeper", lambda: World(small("one")), "TargetReady"),
        ("load-master", measuring, "Measured"),
        ("load-worker", measuring, "Measured"),
    ],
)
def test_it_is_named(component: str, make: Callable[[], World], type_: str, reason: str) -> None:
    world = make()
    world.reconcile("one")
    world.cluster.put(pending("one", component, BLOCKERS[reason]))
    after = world.reconcile("one", MINUTE)
    assert condition_of(after, type_) == ("False", reason)
    assert condition_of(after, "Succeeded") == ("Unknown", reason)
    (shown,) = {each.message for each in after.status.conditions if each.reason == reason}
    assert f"one-{component}-0" in shown


@pytest.mark.parametrize("reason", BLOCKERS)
def test_it_is_named_of_an_export(reason: str) -> None:
    course = Course(CLAIM)
    course.reconcile()
    pod = pending("base", EXPORT, BLOCKERS[reason])
    job = course.fake.objects["Job", "search", "base-export"]["metadata"]
    own = {key: job[key] for key in ("namespace", "ownerReferences")}
    pod["metadata"] |= own | {"creationTimestamp": course.now.isoformat()}
    course.fake.put(pod)
    course.now += timedelta(seconds=MINUTE)
    course.reconcile()
    assert course.condition[:2] == ("Unknown", reason)
    assert "base-export-0" in course.condition[2]


REFUSAL = 'pods "one" is forbidden: violates PodSecurity "restricted:latest"'


def refused_pod(kind: str, name: str, namespace: str = "default") -> dict[str, Any]:
    return {
        "kind": "Event",
        "metadata": {"name": f"refusal-of-{name}", "namespace": namespace},
        "involvedObject": {"kind": kind, "name": name, "uid": f"uid-of-{name}"},
        "reason": "FailedCreate",
        "message": REFUSAL,
        "lastTimestamp": "2026-01-01T12:00:00Z",
    }


def test_zookeeper_that_is_refused() -> None:
    world = World(small("one"), refused_pod("StatefulSet", "one-zookeeper"))
    after = world.reconcile("one")
    assert condition_of(after, "TargetReady") == ("False", "FailedCreate")
    assert condition_of(after, "Succeeded") == ("Unknown", "FailedCreate")
    (shown,) = {each.message for each in after.status.conditions if each.reason == "FailedCreate"}
    assert REFUSAL in shown


@pytest.mark.parametrize("component", ["load-master", "load-worker"])
def test_load_pods_that_are_refused(component: str) -> None:
    world = measured_so_far(retries=2)
    world.cluster.now = world.now.isoformat
    world.cluster.put(solr_pod())
    world.reconcile("one")  # makes the Jobs
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "Starting")
    world.cluster.put(refused_pod("Job", f"one-{component}"))
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "FailedCreate")
    after = world.reconcile("one", seconds=601)
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")


@pytest.mark.parametrize("type_", ["DataIndexed", "Measured"])
def test_a_job_that_is_refused(type_: str) -> None:
    world = measuring()
    if type_ == "DataIndexed":
        world.body()["status"]["conditions"].pop()
    quota = ForbiddenError(ApiServerReason.API_REFUSED, "exceeded quota: count/jobs.batch=0")
    world.cluster.fault = refusal(quota, ["apply"], ["Job"])
    assert condition_of(world.reconcile("one"), type_) == ("False", "ApiRefused")
    after = world.reconcile("one", seconds=601)
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    assert "exceeded quota" in message_of(after)


def test_an_export_whose_job_is_refused() -> None:
    course = Course(CLAIM)
    taken = {"name": "base-export", "namespace": "search"}
    course.fake.put({"kind": "ConfigMap", "metadata": taken})
    course.reconcile()
    assert course.condition[:2] == ("Unknown", "NameTaken")
    course.now += timedelta(seconds=601)
    course.reconcile()
    assert course.condition[:2] == ("False", "DeadlineExceeded")
    assert not needs_export(course.benchmark.spec, course.status)


def test_an_export_pod_that_is_refused() -> None:
    course = Course(CLAIM)
    course.reconcile()
    course.fake.put(refused_pod("Job", "base-export", "search"))
    course.now += timedelta(seconds=MINUTE)
    course.reconcile()
    status, reason, message = course.condition
    assert (status, reason) == ("Unknown", "FailedCreate")
    assert REFUSAL in message


def test_without_the_right_to_read_events_the_operator_goes_on() -> None:
    world = World(small("one"), refused_pod("StatefulSet", "one-zookeeper"))
    forbidden = TemporaryError(ApiServerReason.API_REFUSED, "events is forbidden")
    world.cluster.fault = refusal(forbidden, ["events"])
    assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "ZooKeeperNotReady")


KIND = ("solr.apache.org/v1beta1", "SolrCloud")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("looks", [0, 1])
def test_owned_objects_of_a_definition_that_is_not_there_or_goes_are_none(looks: int) -> None:
    responses = iter([resources("SolrCloud")] * looks)
    client = cluster_of(lambda _: next(responses, status(404)))
    owned = OwnedObjects(client, "search", "one", frozenset(("u",)), NOW)
    assert owned.list(OwnedKind(*KIND, CleanupReason.SOLR_CLOUD_NOT_REMOVED)) == []


def test_owned_objects_are_listed_once_without_the_report() -> None:
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        is_list = request.url.path != "/api/v1"
        return httpx.Response(200, json={"items": []}) if is_list else resources("ConfigMap", "Pod")

    owned = OwnedObjects(cluster_of(respond), "search", "one", frozenset(("u",)), NOW, "shared")
    for _ in range(2):
        assert owned.list(OwnedKind("v1", "ConfigMap")) == []
    lists = [each for each in requests if each.url.path.endswith("/configmaps")]
    components = "solr,zookeeper,index,load-master,load-worker,companion,export"
    assert [each.url.params["labelSelector"] for each in lists] == [
        f"solrbench.io/benchmark={name},app.kubernetes.io/component in ({components})"
        for name in ("one", "shared")
    ]
    assert all("as=PartialObjectMetadataList" in each.headers["accept"] for each in lists)
