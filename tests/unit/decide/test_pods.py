"""What is wrong with a pod: reason and remedy."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.decide.pods.problems import STUCK_AFTER, first_problem, pod_problem
from solrbench.decide.views import ContainerView, PodView
from support.resources.pod_views import pod_view

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)

POD = pod_view("base-solr-0", NOW, uid="u1", ip="10.0.0.1", node="node-1")
PENDING = replace(POD, phase="Pending", ready=False)


def with_container(**fields: Any) -> PodView:
    return replace(POD, containers=(replace(ContainerView(name="solr"), **fields),))


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
    problem = pod_problem(pod, NOW)
    assert problem is not None
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


def test_long_words_are_cut() -> None:
    problem = pod_problem(replace(PENDING, unschedulable="x" * 5000), NOW)
    assert problem is not None
    assert len(problem.message) < 600
    assert "…" in problem.message


def test_the_first_trouble_by_name() -> None:
    second = replace(with_container(ended_reason="OOMKilled"), name="b")
    first = replace(with_container(waiting_reason="ErrImagePull"), name="a")
    problem = first_problem([second, POD, first], NOW)
    assert problem is not None
    assert problem.reason == "ImagePullError"
    assert first_problem([POD], NOW) is None
