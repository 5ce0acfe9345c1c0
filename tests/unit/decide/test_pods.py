"""Pods that the API server refuses: what the events and conditions of their owner say.

Pod events during a step run.

What is wrong with a pod: reason and remedy.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.contract.names import AGENT
from solrbench.decide.pods import (
    STUCK_AFTER,
    add_pod_events,
    find_creation_problem,
    first_problem,
    has_new_events,
    pod_problem,
)
from solrbench.decide.views import ContainerView, PodView, view_pod
from support.narrowing import not_none
from support.resources.pod_views import pod_view
from support.results.builders import START, make_document, make_result

QUOTA = 'pods "base-solr-1" is forbidden: exceeded quota: compute'
OWNER = {"kind": "StatefulSet", "metadata": {"name": "base-solr", "uid": "s1"}}
CREATED = datetime(2025, 3, 1, 12, tzinfo=UTC)
POD = pod_view("base-solr-0", CREATED)


def event(message: str = QUOTA, uid: str = "s1", **times: Any) -> dict[str, Any]:
    given = times or {"lastTimestamp": "2025-03-01T12:00:00Z"}
    return {"metadata": {}, "involvedObject": {"uid": uid}, "message": message, **given}


def problem(
    *events: dict[str, Any], pods: tuple[PodView, ...] = (), **status: Any
) -> tuple[str, str] | None:
    found = find_creation_problem({**OWNER, "status": status}, pods, events)
    return None if found is None else (found.reason, found.message)


@pytest.mark.parametrize(
    "times",
    [
        {"lastTimestamp": "2025-03-01T12:00:00Z"},
        {"lastTimestamp": None, "eventTime": "2025-03-01T12:00:00.000000Z"},
        {
            "eventTime": "2025-03-01T11:00:00.000000Z",
            "series": {"lastObservedTime": "2025-03-01T12:00:01.000000Z"},
        },
        {"metadata": {"creationTimestamp": "2025-03-01T12:00:00Z"}},
    ],
)
def test_a_refusal_is_named_with_the_words_of_the_api_server(times: dict[str, Any]) -> None:
    found = not_none(problem(event(**times), pods=(POD,)))
    reason, message = found
    assert reason == "FailedCreate"
    assert message.startswith(f"pods of StatefulSet base-solr are refused: {QUOTA};")


def test_the_latest_refusal_counts() -> None:
    first = event("webhook down", lastTimestamp="2025-03-01T11:00:00Z")
    found = not_none(problem(event(), first))
    assert QUOTA in found[1]


def test_a_refusal_before_the_newest_pod_is_over() -> None:
    assert POD.created == CREATED
    assert problem(event(lastTimestamp="2025-03-01T11:59:59Z"), pods=(POD,)) is None


def test_a_refusal_of_an_earlier_owner_of_the_name_does_not_count() -> None:
    assert problem(event(uid="s0")) is None
    assert problem() is None


def test_the_condition_of_a_replica_set_counts_too() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "message": QUOTA}
    found = not_none(problem(conditions=[{"type": "Other", "status": "True"}, refused]))
    assert QUOTA in found[1]
    assert problem(conditions=[refused | {"status": "False"}]) is None


def test_long_words_are_cut() -> None:
    found = not_none(problem(event("x" * 5000)))
    assert len(found[1]) < 600


DOCUMENT = make_document("a", 1, make_result([1000] * 9), seconds=10.0)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def ended(seconds: float, reason: str = "Error", code: int = 1) -> dict[str, Any]:
    return {"reason": reason, "exitCode": code, "finishedAt": at(seconds).isoformat()}


def pod(
    *, name: str = "b-solr-0", created: float = -60, restarts: int = 0, **states: Any
) -> PodView:
    container = {"name": "solr", "restartCount": restarts} | states
    return view_pod(
        {
            "metadata": {
                "name": name,
                "uid": "u",
                "creationTimestamp": at(created).astimezone(UTC).isoformat(),
                "labels": {"app.kubernetes.io/component": "solr"},
            },
            "status": {"phase": "Running", "containerStatuses": [container]},
        }
    )


def troubles(*pods: PodView) -> list[tuple[str, str, datetime]]:
    found = add_pod_events(DOCUMENT, pods).pods or []
    return [(record.pod, each.kind, each.time) for record in found for each in record.troubles]


def test_quiet_pods_are_recorded_without_troubles() -> None:
    document = add_pod_events(DOCUMENT, [pod(restarts=2, lastState={"terminated": ended(-30)})])
    assert document.pods is not None
    (record,) = document.pods
    assert (record.pod, record.component, record.restarts) == ("b-solr-0", "solr", 2)
    assert record.troubles == []


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ({"restarts": 1, "lastState": {"terminated": ended(4)}}, "Restarted"),
        ({"restarts": 1, "lastState": {"terminated": ended(4, "OOMKilled", 137)}}, "OOMKilled"),
        ({"state": {"terminated": ended(4)}}, "Restarted"),
        ({"restarts": 1, "lastState": {"terminated": ended(4, "Completed", 0)}}, "Restarted"),
    ],
)
def test_ends_within_the_step_run_are_events(state: dict[str, Any], kind: str) -> None:
    assert troubles(pod(**state)) == [("b-solr-0", kind, at(4))]


def test_end_of_our_agent_is_no_event() -> None:
    body = pod(restarts=1, lastState={"terminated": ended(4, "OOMKilled", 137)})
    agents = replace(body, containers=(replace(body.containers[0], name=AGENT),))
    assert troubles(agents) == []
    assert not has_new_events([agents], START)


@pytest.mark.parametrize("seconds", [-0.5, 10.5])
def test_ends_outside_the_step_run_are_no_events(seconds: float) -> None:
    assert troubles(pod(restarts=1, lastState={"terminated": ended(seconds)})) == []


def test_work_that_is_done_is_no_trouble() -> None:
    assert troubles(pod(state={"terminated": ended(9, "Completed", 0)})) == []


def test_pod_created_within_the_step_run_is_a_replacement() -> None:
    assert troubles(pod(created=3)) == [("b-solr-0", "Replaced", at(3))]
    assert troubles(pod(created=11)) == []


def test_news_are_added_to_what_is_known_and_nothing_is_forgotten() -> None:
    first = add_pod_events(DOCUMENT, [pod(), pod(name="b-zookeeper-0")])
    assert add_pod_events(first, [pod()]) is first
    again = add_pod_events(first, [pod(restarts=1, lastState={"terminated": ended(4)})])
    assert add_pod_events(again, [pod(restarts=1, lastState={"terminated": ended(4)})]) is again
    assert again.pods is not None
    assert [(each.pod, len(each.troubles)) for each in again.pods] == [
        ("b-solr-0", 1),
        ("b-zookeeper-0", 0),
    ]
    replaced = add_pod_events(again, [pod(created=5)])
    assert replaced.pods is not None
    assert [each.kind for each in replaced.pods[0].troubles] == ["Restarted", "Replaced"]


def test_only_pods_with_news_are_worth_a_look() -> None:
    assert not has_new_events([pod(restarts=1, lastState={"terminated": ended(-30)})], START)
    assert not has_new_events([pod(state={"terminated": ended(3, "Completed", 0)})], START)
    assert has_new_events([pod(restarts=1, lastState={"terminated": ended(3)})], START)
    assert has_new_events([pod(created=2)], START)


NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)

PROBLEM_POD = pod_view("base-solr-0", NOW, uid="u1", ip="10.0.0.1", node="node-1")
PENDING = replace(PROBLEM_POD, phase="Pending", ready=False)


def with_container(**fields: Any) -> PodView:
    return replace(PROBLEM_POD, containers=(replace(ContainerView(name="solr"), **fields),))


@pytest.mark.parametrize(
    ("pod", "reason", "words"),
    [
        (
            replace(PENDING, unschedulable="0/1 nodes are available: 1 Insufficient memory."),
            "Unschedulable",
            "Insufficient memory.; lower resources.requests or add nodes",
        ),
        (replace(PROBLEM_POD, reason="Evicted", message="low on disk"), "Evicted", "low on disk"),
        (with_container(ended_reason="OOMKilled"), "OOMKilled", "raise resources.limits.memory"),
        (
            with_container(waiting_reason="ImagePullBackOff", waiting_message="not found"),
            "ImagePullError",
            "ImagePullBackOff: not found; check the image's repository and tag, and imagePull",
        ),
        (
            with_container(waiting_reason="ErrImageNeverPull"),
            "ImagePullError",
            "ErrImageNeverPull",
        ),
        (
            with_container(waiting_reason="CreateContainerConfigError", waiting_message="no root"),
            "ContainerConfigError",
            "no root",
        ),
        (
            with_container(waiting_reason="CrashLoopBackOff", ended_reason="Error", exit_code=1),
            "CrashLoopBackOff",
            "exit code 1; see: kubectl logs base-solr-0 --previous",
        ),
        (
            with_container(waiting_reason="CrashLoopBackOff", ended_reason="OOMKilled"),
            "OOMKilled",
            "container solr of pod base-solr-0",
        ),
    ],
)
def test_pod_in_trouble_has_its_problem(pod: PodView, reason: str, words: str) -> None:
    problem = not_none(pod_problem(pod, NOW))
    assert problem.reason == reason
    assert words in problem.message
    assert pod.name in problem.message


@pytest.mark.parametrize(
    "pod",
    [
        PROBLEM_POD,
        PENDING,
        with_container(waiting_reason="ContainerCreating"),
        with_container(ended_reason="Completed", exit_code=0),
    ],
)
def test_healthy_pod_has_no_problem(pod: PodView) -> None:
    assert pod_problem(pod, NOW) is None


@pytest.mark.parametrize(
    ("age", "deleting", "stuck"),
    [
        (STUCK_AFTER, False, False),
        (STUCK_AFTER + timedelta(seconds=1), False, True),
        (STUCK_AFTER + timedelta(seconds=1), True, False),
    ],
)
def test_a_pod_that_is_not_started_for_long(age: timedelta, deleting: bool, stuck: bool) -> None:
    problem = pod_problem(replace(PENDING, deleting=deleting), NOW + age)
    assert (problem is not None) is stuck
    if problem is not None:
        assert problem.reason == "PodNotStarting"
        assert "41 s; see: kubectl describe pod base-solr-0" in problem.message


def test_long_messages_are_cut() -> None:
    problem = not_none(pod_problem(replace(PENDING, unschedulable="x" * 5000), NOW))
    assert len(problem.message) < 600
    assert "…" in problem.message


def test_the_first_trouble_by_name() -> None:
    second = replace(with_container(ended_reason="OOMKilled"), name="b")
    first = replace(with_container(waiting_reason="ErrImagePull"), name="a")
    problem = not_none(first_problem([second, PROBLEM_POD, first], NOW))
    assert problem.reason == "ImagePullError"
    assert first_problem([PROBLEM_POD], NOW) is None
