"""Before the pods of a failure go, their logs and events are kept, and no secret with them."""

import copy
import threading
from typing import Any

import pytest

from solrbench.controller import failure_evidence
from solrbench.decide.evidence import MAX_BYTES, MAX_ENTRY_BYTES
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import secret, small
from support.controller.world import NOW, World, condition_of, fail_with, message_of
from support.controller.worlds import (
    DOCUMENTS,
    Index,
    indexed_world,
    measured_so_far,
    passed,
    solr_pod,
    with_worker_lost,
)
from support.fakes.fake_cluster import FakeCluster

NAME = "one-report-evidence"
KEY = "target-1-load-1.txt"


def kept(world: World) -> str:
    """Return what is kept of the failure of the first attempt."""
    text: str = world.cluster.objects["ConfigMap", "default", NAME]["data"][KEY]
    return text


def event(kind: str, name: str, message: str, uid: str = "some-uid") -> dict[str, Any]:
    return {
        "kind": "Event",
        "metadata": {"name": f"{name}.{message[:3]}"},
        "involvedObject": {"kind": kind, "name": name, "uid": uid},
        "reason": "BackOff",
        "type": "Warning",
        "message": message,
        "lastTimestamp": NOW.isoformat(),
    }


def failed_world(**data: str) -> World:
    """Return a world whose Solr pod ended for want of memory, so that the benchmark fails."""
    world = measured_so_far(retries=2)
    pod = solr_pod(restarts=1, reason="OOMKilled", exitCode=137)
    pod["status"]["phase"] = "Failed"  # nothing is asked of it
    if data:
        pod["spec"] = {"volumes": [{"secret": {"secretName": "login"}}]}
        world.cluster.put(secret("login", "default", **data))
    world.cluster.put(pod)
    world.cluster.put(event("Pod", "one-solr-0", "Back-off restarting"))
    world.cluster.put(event("Pod", "one-solr-0", "Of a predecessor", uid="another"))
    world.cluster.put(event("StatefulSet", "one-solr", "exceeded quota"))
    world.cluster.logs["one-solr-0", "solr", False] = "starts again\n"
    world.cluster.logs["one-solr-0", "solr", True] = "java.lang.OutOfMemoryError\n"
    return world


def test_logs_and_events_are_kept_before_the_pods_go() -> None:
    world = failed_world()
    after = world.reconcile("one")
    text = kept(world)
    for words in (
        "OOMKilled: ",
        "container solr: 1 restarts, ended: OOMKilled, exit code 137",
        "Back-off restarting",
        "exceeded quota",
        "log of one-solr-0, container solr, last 1 lines:\nstarts again",
        "the run before, last 1 lines:\njava.lang.OutOfMemoryError",
    ):
        assert words in text
    assert "Of a predecessor" not in text
    assert condition_of(after, "Succeeded") == ("False", "OOMKilled")
    assert after.status.phase == "Failed"
    where = f"logs and events are in ConfigMap {NAME} (solrbench report one -o evidence)"
    assert message_of(after).endswith(where)
    assert after.status.report.evidence == NAME


@pytest.mark.parametrize("component", ["index", "companion", "zookeeper", "load-worker"])
def test_pods_of_every_component_are_kept(component: str) -> None:
    world = failed_world()
    pod = copy.deepcopy(solr_pod())
    pod["metadata"] |= {"name": f"one-{component}-0", "uid": f"uid-of-{component}"}
    pod["metadata"]["labels"] |= {"app.kubernetes.io/component": component}
    pod["status"] = {
        "phase": "Failed",
        "containerStatuses": [
            {"name": component, "state": {"terminated": {"reason": "Error", "exitCode": 3}}}
        ],
    }
    world.cluster.put(pod)
    world.cluster.logs[f"one-{component}-0", component, False] = f"last words of {component}\n"
    world.reconcile("one")
    assert f"last words of {component}" in kept(world)


def test_refusals_of_companions_and_of_pods_of_other_operators_are_kept() -> None:
    world = failed_world()
    labels = solr_pod()["metadata"]["labels"] | {"app.kubernetes.io/component": "companion"}
    metadata = {"name": "one-proxy-5f", "uid": "uid-of-proxy", "labels": labels}
    world.cluster.put({"kind": "ReplicaSet", "metadata": metadata})
    world.cluster.put(event("ReplicaSet", "one-proxy-5f", "exceeded pods", uid="uid-of-proxy"))
    world.cluster.put(event("StatefulSet", "one-solrcloud", "violates PodSecurity"))
    world.cluster.put(event("StatefulSet", "one-solrcloud-zookeeper", "forbidden sysctl"))
    world.reconcile("one")
    for words in ("exceeded pods", "violates PodSecurity", "forbidden sysctl"):
        assert words in kept(world)


def test_evidence_outlives_the_pods_and_goes_with_the_benchmark() -> None:
    world = failed_world()
    world.body()["spec"]["cleanup"] = "Always"
    world.reconcile("one")
    world.reconcile("one")
    assert condition_of(world.reconcile("one"), "CleanedUp") == ("True", "CleanedUp")
    assert world.cluster.names("Pod") == set()
    metadata = world.cluster.objects["ConfigMap", "default", NAME]["metadata"]
    (owner,) = metadata["ownerReferences"]
    assert (owner["uid"], owner["controller"]) == ("uid-of-one", True)
    assert metadata["labels"]["app.kubernetes.io/component"] == "report"


def test_deadline_leaves_evidence_of_a_pod_that_never_started() -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 60}))
    world.reconcile("one")
    pod = solr_pod()
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    pod["status"] = {
        "phase": "Pending",
        "containerStatuses": [{"name": "solr", "state": {"waiting": waiting}}],
    }
    world.cluster.put(pod)
    after = world.reconcile("one", 61)
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    assert "waits: ImagePullBackOff no such image" in kept(world)
    assert "log of" not in kept(world)


def test_nothing_is_kept_where_there_is_nothing() -> None:
    after = measured_so_far(retries=0).reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "TargetPodLost")
    assert after.status.report.evidence == ""
    assert "ConfigMap" not in message_of(after)


def test_lost_worker_leaves_evidence_of_its_attempt() -> None:
    world = with_worker_lost("RepeatStep")
    world.cluster.logs["one-load-worker-0-x", "load-worker", False] = "MemoryError"
    after = world.reconcile("one")
    assert after.status.attempts.load == 2
    assert condition_of(after, "Measured") == ("False", "OOMKilled")
    assert "MemoryError" in kept(world)
    assert NAME in message_of(after, "Measured")


def test_restarted_solr_leaves_evidence_of_its_attempt() -> None:
    world = measured_so_far(retries=2)
    pod = solr_pod(restarts=1, reason="Error", exitCode=1)
    pod["status"]["phase"] = "Failed"
    world.cluster.put(pod)
    world.cluster.logs["one-solr-0", "solr", True] = "fatal error"
    after = world.reconcile("one")
    assert after.status.attempts.target == 2
    assert "fatal error" in kept(world)
    assert NAME in message_of(after, "TargetReady")


def test_missing_documents_leave_the_state_of_the_collection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = indexed_world()
    after = passed(world, monkeypatch, Index.whole(DOCUMENTS - 1))
    assert condition_of(after, "DataIndexed") == ("False", "DocumentCountMismatch")
    text = kept(world)
    assert "collection one: 0 live nodes, 3 replicas" in text
    assert "shard1 leader TLOG leader on" in text


def test_values_of_secrets_are_masked() -> None:
    world = failed_world(username="solr", password="HUNTER")
    log = "solr logs in with HUNTER\nAuthorization: Basic x\nPUT http://a:b@host/x"
    world.cluster.logs["one-solr-0", "solr", False] = log
    world.cluster.put(event("Pod", "one-solr-0", "HUNTER in an event"))
    world.reconcile("one")
    text = kept(world)
    assert "solr logs in with ***\nAuthorization: ***\nPUT http://***@host/x" in text
    assert "*** in an event" in text
    assert "HUNTER" not in text


def test_logs_are_left_out_where_a_secret_cannot_be_masked() -> None:
    world = failed_world(password="HUNTER")
    world.cluster.logs["one-solr-0", "solr", False] = "HUNTER"
    pod = world.cluster.objects["Pod", "default", "one-solr-0"]
    pod["status"]["containerStatuses"][0]["lastState"]["terminated"]["message"] = "HUNTER"
    del world.cluster.objects["Secret", "default", "login"]
    world.reconcile("one")
    text = kept(world)
    assert "logs of one-solr-0 are omitted: Secrets login cannot be read" in text
    assert "HUNTER" not in text


def test_environment_of_containers_is_never_kept() -> None:
    world = failed_world()
    pod = world.cluster.objects["Pod", "default", "one-solr-0"]
    pod["spec"] = {"containers": [{"name": "solr", "env": [{"name": "A", "value": "HUNTER"}]}]}
    world.reconcile("one")
    assert "HUNTER" not in kept(world)


@pytest.mark.parametrize(("call", "what"), [("pod_log", "logs"), ("events", "events")])
def test_missing_right_is_named_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, call: str, what: str
) -> None:
    world = failed_world()
    forbidden = ForbiddenError(ApiServerReason.API_REFUSED, "forbidden")
    monkeypatch.setattr(FakeCluster, call, fail_with(forbidden))
    after = world.reconcile("one")
    assert after.status.phase == "Failed"
    text = kept(world)
    assert text.count(f"{what} could not be read: the operator's role does not allow it") == 1
    assert "container solr: 1 restarts" in text


@pytest.mark.parametrize("error", [KeyError("x"), TemporaryError(ApiServerReason.CONFLICT, "x")])
def test_evidence_that_cannot_be_kept_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(failure_evidence, "store_diagnostics", fail_with(error))
    after = failed_world().reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "OOMKilled")
    assert after.status.report.evidence == ""


def test_api_server_that_hangs_holds_up_the_reconcile_for_some_seconds_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hangs = threading.Event()
    monkeypatch.setattr(failure_evidence, "MAX_SECONDS", 0.05)
    monkeypatch.setattr(FakeCluster, "pod_log", lambda *_, **__: hangs.wait(30) and "")
    after = failed_world().reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "OOMKilled")
    assert after.status.report.evidence == ""
    hangs.set()


def test_no_further_request_is_made_after_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_evidence, "OBSERVE_SECONDS", -1.0)
    world = failed_world(password="HUNTER")
    world.reconcile("one")
    assert "Event" not in world.cluster.asked
    assert "Secrets login cannot be read" in kept(world)
    assert "container solr: 1 restarts" in kept(world)


def test_what_is_kept_has_a_limit() -> None:
    world = failed_world()
    for number in range(60):
        pod = solr_pod(restarts=1, reason="Error", exitCode=1)
        pod["metadata"] |= {"name": f"one-solr-{number}", "uid": f"u{number}"}
        pod["status"]["phase"] = "Failed"
        world.cluster.put(pod)
        world.cluster.logs[f"one-solr-{number}", "solr", False] = "line of a log\n" * 10_000
    world.reconcile("one")
    assert 10_000 < len(kept(world)) <= MAX_ENTRY_BYTES <= MAX_BYTES
