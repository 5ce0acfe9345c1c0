"""Pods and Jobs as the API server gives them, reduced, and the controller of an object."""

from datetime import UTC, datetime
from typing import Any

import pytest

from solrbench.decide.views import (
    ContainerView,
    attempt_of,
    check_not_taken,
    controller_uid,
    view_job,
    view_pod,
)
from support.resources.pod_views import pod_view


@pytest.mark.parametrize(
    ("metadata", "wanted"),
    [
        ({}, None),
        ({"ownerReferences": None}, None),
        ({"ownerReferences": [{"uid": "a"}]}, None),
        ({"ownerReferences": [{"uid": "a", "controller": False}]}, None),
        ({"ownerReferences": [{"uid": "a"}, {"uid": "b", "controller": True}]}, "b"),
    ],
)
def test_an_object_belongs_to_its_controller(metadata: dict[str, Any], wanted: str | None) -> None:
    assert controller_uid({"metadata": metadata}) == wanted


def config_map(*owners: str) -> dict[str, Any]:
    references = [{"uid": each, "controller": True} for each in owners]
    metadata = {"name": "one-solr", "namespace": "search", "ownerReferences": references}
    return {"kind": "ConfigMap", "metadata": metadata}


@pytest.mark.parametrize(
    ("wanted", "found", "is_taken"),
    [
        (config_map("a"), None, False),
        (config_map("a"), config_map("a"), False),
        (config_map("a"), config_map("b"), True),
        (config_map("a"), config_map(), True),
        (config_map(), config_map("b"), False),
    ],
)
def test_an_object_of_another_owner_is_taken(
    wanted: dict[str, Any], found: dict[str, Any] | None, is_taken: bool
) -> None:
    outcome = check_not_taken(wanted, found)
    assert (outcome is not None) is is_taken
    assert outcome is None or outcome.reason == "NameTaken"


METADATA = {
    "name": "base-solr-0",
    "uid": "u1",
    "creationTimestamp": "2025-03-01T12:00:00Z",
    "labels": {"app.kubernetes.io/component": "solr", "solrbench.io/attempt": "2"},
}


def pod(**status: Any) -> dict[str, Any]:
    return {"metadata": METADATA, "spec": {"nodeName": "node-1"}, "status": status}


def container(**fields: Any) -> dict[str, Any]:
    return {"name": "solr", "restartCount": 0} | fields


def viewed(body: dict[str, Any]) -> ContainerView:
    (found,) = view_pod(pod(containerStatuses=[body])).containers
    return found


def test_a_new_pod_has_nothing_but_its_name() -> None:
    created, new = datetime(2025, 3, 1, 12, tzinfo=UTC), {"uid": "u1", "attempt": 2}
    wanted = pod_view("base-solr-0", created, phase="Pending", ready=False, **new)
    assert view_pod({"metadata": METADATA}) == wanted


def test_foreign_pod_has_no_component() -> None:
    view = view_pod({"metadata": METADATA | {"labels": None}})
    assert (view.component, view.attempt) == ("", 0)


def test_running_pod_is_reduced_to_its_state() -> None:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2025-03-01T12:00:09Z"}
    conditions = [ready, {"type": "PodScheduled", "status": "True"}]
    view = view_pod(pod(phase="Running", podIP="10.0.0.1", conditions=conditions))
    assert (view.phase, view.ready, view.ip, view.node) == ("Running", True, "10.0.0.1", "node-1")
    assert view.ready_since == datetime(2025, 3, 1, 12, 0, 9, tzinfo=UTC)
    assert view.unschedulable == ""


def test_a_pod_that_no_node_takes() -> None:
    scheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    view = view_pod(pod(conditions=[scheduled | {"message": "0/1 nodes are available"}]))
    assert view.unschedulable == "0/1 nodes are available"


def test_identity_changes_with_every_restart() -> None:
    before, after = (
        view_pod(pod(containerStatuses=[container(restartCount=n), container(restartCount=1)]))
        for n in (0, 1)
    )
    assert (before.identity, after.identity) == ("u1/1", "u1/2")


def test_a_container_that_waits() -> None:
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    found = viewed(container(state={"waiting": waiting}))
    assert (found.waiting_reason, found.waiting_message) == ("ImagePullBackOff", "no such image")


TERMINATED = {
    "terminated": {
        "reason": "OOMKilled",
        "exitCode": 137,
        "message": "bye\n",
        "finishedAt": "2025-03-01T12:00:00Z",
    }
}


@pytest.mark.parametrize(
    "states",
    [
        {"state": TERMINATED},
        {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": TERMINATED},
    ],
    ids=["now", "the run before"],
)
def test_a_container_that_ended(states: dict[str, Any]) -> None:
    found = viewed(container(**states))
    ended = found.ended_reason, found.exit_code, found.termination_message, found.ended
    assert ended == ("OOMKilled", 137, "bye", datetime(2025, 3, 1, 12, tzinfo=UTC))


def test_last_words_of_a_pod_are_those_of_the_first_container_that_left_some() -> None:
    silent = container(state={"terminated": {"exitCode": 0}})
    talking = container(state={"terminated": {"exitCode": 1, "message": "why"}})
    assert view_pod(pod(containerStatuses=[silent, talking])).termination_message == "why"
    assert view_pod(pod()).termination_message == ""


@pytest.mark.parametrize(
    ("conditions", "succeeded", "failed"),
    [
        (None, False, False),
        ([{"type": "Complete", "status": "True"}], True, False),
        ([{"type": "Complete", "status": "False"}], False, False),
        ([{"type": "Failed", "status": "True", "message": "why"}], False, True),
        ([{"type": "FailureTarget", "status": "True", "message": "why"}], False, True),
    ],
)
def test_job_has_the_end_of_its_conditions(
    conditions: list[dict[str, str]] | None, succeeded: bool, failed: bool
) -> None:
    view = view_job({"metadata": METADATA, "status": {"conditions": conditions}})
    assert (view.succeeded, view.failed) == (succeeded, failed)
    assert view.failure == ("why" if failed else "")


def test_pod_under_deletion() -> None:
    metadata = METADATA | {"deletionTimestamp": "2025-03-01T12:00:01Z"}
    assert view_pod({"metadata": metadata}).deleting


def test_init_containers_count_too() -> None:
    init = container(name="init", restartCount=2, state={"waiting": {"reason": "ErrImagePull"}})
    view = view_pod(pod(initContainerStatuses=[init], containerStatuses=[container()]))
    assert [each.name for each in view.containers] == ["init", "solr"]
    assert view.containers[0].waiting_reason == "ErrImagePull"
    assert view.identity == "u1/2"


@pytest.mark.parametrize(("label", "wanted"), [("3", 3), ("x", 0), ("", 0), ("-1", 0), ("²", 0)])
def test_an_attempt_is_a_number(label: str, wanted: int) -> None:
    assert attempt_of({"metadata": {"labels": {"solrbench.io/attempt": label}}}) == wanted
    assert attempt_of({"metadata": {}}) == 0
