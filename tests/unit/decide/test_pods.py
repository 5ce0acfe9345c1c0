"""What is wrong with a pod: by the events of its owner, by its state, and during a step run."""

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
from solrbench.decide.views import ContainerView, PodView
from support.narrowing import not_none
from support.resources.pod_views import pod_view
from support.results.builders import START, make_document, make_result

QUOTA = 'pods "base-solr-1" is forbidden: exceeded quota: compute'
OWNER = {"kind": "StatefulSet", "metadata": {"name": "base-solr", "uid": "s1"}}
NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
POD = pod_view("base-solr-0", NOW)
PENDING = replace(POD, phase="Pending", ready=False)


def event(message: str = QUOTA, uid: str = "s1", **times: Any) -> dict[str, Any]:
    given = times or {"lastTimestamp": "2025-03-01T12:00:00Z"}
    return {"metadata": {}, "involvedObject": {"uid": uid}, "message": message, **given}


def problem(
    *events: dict[str, Any], pods: tuple[PodView, ...] = (), **status: Any
) -> tuple[str, str] | None:
    found = find_creation_problem({**OWNER, "status": status}, pods, events)
    return None if found is None else (found.reason, found.message)


def words(*events: dict[str, Any], **status: Any) -> str:
    """Return the message of what there must be."""
    return not_none(problem(*events, **status))[1]


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
    reason, message = not_none(problem(event(**times), pods=(POD,)))
    assert reason == "FailedCreate"
    assert message.startswith(f"pods of StatefulSet base-solr are refused: {QUOTA};")


def test_the_latest_refusal_counts() -> None:
    first = event("webhook down", lastTimestamp="2025-03-01T11:00:00Z")
    assert QUOTA in words(event(), first)


def test_a_refusal_before_the_newest_pod_or_of_an_earlier_owner_of_the_name_is_over() -> None:
    assert problem(event(lastTimestamp="2025-03-01T11:59:59Z"), pods=(POD,)) is None
    assert problem(event(uid="s0")) is None
    assert problem() is None


def test_the_condition_of_a_replica_set_counts_too() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "message": QUOTA}
    assert QUOTA in words(conditions=[{"type": "Other", "status": "True"}, refused])
    assert problem(conditions=[refused | {"status": "False"}]) is None


def test_long_words_are_cut() -> None:
    assert len(words(event("x" * 5000))) < 600


DOCUMENT = make_document("a", 1, make_result([1000] * 9), seconds=10.0)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def pod(name: str = "b-solr-0", *, created: float = -60) -> PodView:
    return pod_view(name, at(created), containers=(ContainerView("solr"),))


def ended(seconds: float, reason: str = "Error", code: int = 1, restarts: int = 1) -> PodView:
    """Return a pod whose container ended so many seconds after the begin of the step run."""
    container = ContainerView(
        "solr", restarts, ended_reason=reason, exit_code=code, ended=at(seconds)
    )
    return replace(pod(), containers=(container,))


def troubles(*pods: PodView) -> list[tuple[str, str, datetime]]:
    found = add_pod_events(DOCUMENT, pods).pods or []
    return [(record.pod, each.kind, each.time) for record in found for each in record.troubles]


def test_quiet_pods_are_recorded_without_troubles() -> None:
    document = add_pod_events(DOCUMENT, [ended(-30, restarts=2)])
    (record,) = not_none(document.pods)
    assert (record.pod, record.component, record.restarts) == ("b-solr-0", "solr", 2)
    assert record.troubles == []


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (ended(4), "Restarted"),
        (ended(4, "OOMKilled", 137), "OOMKilled"),
        (ended(4, restarts=0), "Restarted"),
        (ended(4, "Completed", 0), "Restarted"),
    ],
)
def test_ends_within_the_step_run_are_events(seen: PodView, kind: str) -> None:
    assert troubles(seen) == [("b-solr-0", kind, at(4))]


def test_end_of_our_agent_is_no_event() -> None:
    killed = ended(4, "OOMKilled", 137)
    agents = replace(killed, containers=(replace(killed.containers[0], name=AGENT),))
    assert troubles(agents) == []
    assert not has_new_events([agents], START)


@pytest.mark.parametrize(
    "quiet",
    [
        pytest.param(ended(-0.5), id="ended before"),
        pytest.param(ended(10.5), id="ended after"),
        pytest.param(ended(9, "Completed", 0, restarts=0), id="its work is done"),
        pytest.param(pod(created=11), id="created after"),
    ],
)
def test_what_is_outside_the_step_run_or_done_is_no_trouble(quiet: PodView) -> None:
    assert troubles(quiet) == []


def test_pod_created_within_the_step_run_is_a_replacement() -> None:
    assert troubles(pod(created=3)) == [("b-solr-0", "Replaced", at(3))]


def test_news_are_added_to_what_is_known_and_nothing_is_forgotten() -> None:
    first = add_pod_events(DOCUMENT, [pod(), pod("b-zookeeper-0")])
    assert add_pod_events(first, [pod()]) is first
    again = add_pod_events(first, [ended(4)])
    assert add_pod_events(again, [ended(4)]) is again
    found = [(each.pod, len(each.troubles)) for each in not_none(again.pods)]
    assert found == [("b-solr-0", 1), ("b-zookeeper-0", 0)]
    replaced = add_pod_events(again, [pod(created=5)])
    assert [each.kind for each in not_none(replaced.pods)[0].troubles] == ["Restarted", "Replaced"]


def test_only_pods_with_news_are_worth_a_look() -> None:
    assert not has_new_events([ended(-30)], START)
    assert not has_new_events([ended(3, "Completed", 0, restarts=0)], START)
    assert has_new_events([ended(3)], START)
    assert has_new_events([pod(created=2)], START)


def with_container(**fields: Any) -> PodView:
    return replace(POD, containers=(ContainerView("solr", **fields),))


@pytest.mark.parametrize(
    ("pod", "reason", "words"),
    [
        (
            replace(PENDING, unschedulable="0/1 nodes are available: 1 Insufficient memory."),
            "Unschedulable",
            "Insufficient memory.; lower resources.requests or add nodes",
        ),
        (replace(POD, reason="Evicted", message="low on disk"), "Evicted", "low on disk"),
        (with_container(ended_reason="OOMKilled"), "OOMKilled", "raise resources.limits.memory"),
        (
            with_container(waiting_reason="ImagePullBackOff", waiting_message="not found"),
            "ImagePullError",
            "ImagePullBackOff: not found; check the image's repository and tag, and imagePull",
        ),
        (with_container(waiting_reason="ErrImageNeverPull"), "ImagePullError", "ErrImageNeverPull"),
        (
            with_container(waiting_reason="CreateContainerConfigError", waiting_message="no root"),
            "ContainerConfigError",
            "no root",
        ),
        (
            with_container(waiting_reason="CrashLoopBackOff", ended_reason="Error", exit_code=1),
            "CrashLoopBackOff",
            "exit code 1; see: kubectl logs base-solr-0 -c solr --previous",
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
        POD,
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


def test_an_init_container_that_fails_again_and_again_is_named() -> None:
    failed = ContainerView("wait", 3, ended_reason="Error", exit_code=1)
    pod = replace(PENDING, containers=(failed, ContainerView("solr")))
    assert pod_problem(pod, NOW) is None  # it may be on its way
    problem = not_none(pod_problem(pod, NOW + STUCK_AFTER + timedelta(seconds=1)))
    assert problem.reason == "CrashLoopBackOff"
    assert "container wait of pod base-solr-0 exits repeatedly" in problem.message


def test_long_messages_are_cut() -> None:
    problem = not_none(pod_problem(replace(PENDING, unschedulable="x" * 5000), NOW))
    assert len(problem.message) < 600
    assert "…" in problem.message


def test_the_first_trouble_by_name() -> None:
    second = replace(with_container(ended_reason="OOMKilled"), name="b")
    first = replace(with_container(waiting_reason="ErrImagePull"), name="a")
    problem = not_none(first_problem([second, POD, first], NOW))
    assert problem.reason == "ImagePullError"
    assert first_problem([POD], NOW) is None
