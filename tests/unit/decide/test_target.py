"""The nodes of a target beside the spec, and beside what they were."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.checks.targets.target import (
    NODE_CHECKS,
    TargetNodes,
    TargetPods,
    check_pods_unchanged,
)
from solrbench.decide.views import ContainerView, PodView
from support.resources.pod_views import pod_view

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MEBIBYTE = 1 << 20
READY = TargetNodes(
    live=2,
    wanted=2,
    versions={"a": "9.10.1", "b": "9.10.1"},
    heap_bytes={"a": 512 * MEBIBYTE, "b": 512 * MEBIBYTE},
    wanted_heap_bytes=512 * MEBIBYTE,
)


def test_nodes_as_in_the_spec() -> None:
    assert first_outcome(NODE_CHECKS, READY) is None
    assert first_outcome(NODE_CHECKS, TargetNodes(live=5, versions={"a": "9.7.0"})) is None


@pytest.mark.parametrize(
    ("nodes", "reason", "action", "text"),
    [
        (replace(READY, live=1), "SolrNotLive", Action.WAIT, "1 of 2 Solr nodes"),
        (replace(READY, live=3), "SolrNotLive", Action.WAIT, "3 of 2 Solr nodes"),
        (replace(READY, missing=("c",)), "SolrNotLive", Action.WAIT, "not live: c"),
        (
            replace(READY, versions={"a": "9.10.1", "b": "10.0.0"}),
            "UnsupportedSolrVersion",
            Action.FAIL,
            "Solr 10.0.0, 9.10.1, supported is 9.x; change spec.target.solrCloud.image",
        ),
        (
            replace(READY, heap_bytes={"a": 512 * MEBIBYTE, "b": 1024 * MEBIBYTE}),
            "HeapMismatch",
            Action.FAIL,
            "b reports a maximum heap of 1024 MiB, spec.target.solrCloud.heap is 512 MiB",
        ),
    ],
)
def test_nodes_unlike_the_spec(nodes: TargetNodes, reason: str, action: Action, text: str) -> None:
    outcome = first_outcome(NODE_CHECKS, nodes)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, action)
    assert text in outcome.message


@pytest.mark.parametrize(
    ("mebibytes", "matches"),
    [
        (512, True),
        (495, True),  # the serial collector: without one survivor space
        (456, True),  # the parallel collector: 8/9
        (520, True),  # G1: rounded to regions
        (440, False),
        (600, False),
        (256, False),
    ],
)
def test_heap_that_the_jvm_reports(mebibytes: int, matches: bool) -> None:
    outcome = first_outcome(NODE_CHECKS, replace(READY, heap_bytes={"a": mebibytes * MEBIBYTE}))
    assert (outcome is None) is matches


def pod(name: str = "solr-0", uid: str = "u", phase: str = "Running", ended: str = "") -> PodView:
    container = ContainerView("solr", restarts=1 if ended else 0, ended_reason=ended)
    return pod_view(name, NOW, uid=uid, phase=phase, containers=(container,))


@pytest.mark.parametrize(
    ("pods", "reason", "action"),
    [
        ((pod(), pod("other")), None, None),
        ((), "TargetPodLost", Action.RESTART_TARGET),
        ((pod(uid="other"),), "TargetPodLost", Action.RESTART_TARGET),
        ((pod(phase="Failed"),), "TargetPodLost", Action.RESTART_TARGET),
        ((pod(ended="Error"),), "TargetPodLost", Action.RESTART_TARGET),
        ((pod(ended="OOMKilled"),), "OOMKilled", Action.FAIL),
        (
            (replace(pod(uid="other", phase="Pending"), unschedulable="0/1 nodes"),),
            "Unschedulable",
            Action.RESTART_TARGET,
        ),
    ],
)
def test_pods_of_a_target_that_was_ready(
    pods: tuple[PodView, ...], reason: str | None, action: Action | None
) -> None:
    outcome = check_pods_unchanged(TargetPods({"solr-0": "u/0"}, pods, NOW))
    found = (None, None) if outcome is None else (outcome.reason, outcome.action)
    assert found == (reason, action)
