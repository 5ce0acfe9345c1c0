"""ZooKeeper and the nodes of a target on their way, beside the spec and beside what they were."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from solrbench.decide.outcome import Outcome, TargetLostError, first_outcome
from solrbench.decide.target import (
    NODE_CHECKS,
    ComponentPods,
    TargetNodes,
    check_ensemble,
    check_heap,
    check_pods_unchanged,
    check_provided_made,
    check_solr_pods,
    describe_acceptance,
)
from solrbench.decide.views import ContainerView, PodView
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from support.resources.outcomes import assert_outcome, seen
from support.resources.pod_views import pod_view
from support.resources.solr_clouds import CREATED

NOW = datetime.fromisoformat(CREATED).astimezone(UTC)
POD = pod_view("one-solr-0", NOW, phase="Pending", ready=False)
UNSCHEDULABLE = replace(POD, unschedulable="0/1 nodes are available")


@pytest.mark.parametrize(
    ("check", "reason", "words"),
    [
        (check_ensemble, "ZooKeeperNotReady", "1 of 3 ZooKeeper members"),
        (check_solr_pods, "SolrNotReady", "Waiting for Solr: 1 of 3 pods"),
    ],
)
def test_components_are_waited_for(
    check: Callable[[ComponentPods], Outcome | None], reason: str, words: str
) -> None:
    waiting = ComponentPods((POD,), NOW, 1, 3)
    assert_outcome(check(waiting), reason, TemporaryError, words)
    stuck = check(replace(waiting, pods=(POD, UNSCHEDULABLE)))
    assert_outcome(stuck, "Unschedulable", TemporaryError)
    assert check(replace(waiting, ready=3, pods=(UNSCHEDULABLE,))) is None


def test_a_member_of_zookeeper_need_not_report_its_heap() -> None:
    assert check_heap({"zoo-1": 512 << 20, "zoo-2": None}, 512 << 20, "heap") is None


def test_provided_zookeeper_that_is_made_is_not_waited_for() -> None:
    assert check_provided_made("base-zookeeper", made=True) is None


AGAIN = TargetLostError
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
    assert first_outcome(NODE_CHECKS, TargetNodes(live=1, versions={"a": "10.0.0"})) is None


@pytest.mark.parametrize(
    ("versions", "reason", "text"),
    [
        (["9.10.1"], "Accepted", "all objects that the spec refers to exist"),
        ([""], "Accepted", "all objects"),
        (["9.10.1", "10.0.0"], "VersionNotTested", "not been tested on Solr 10.0; read"),
        (["9.7", "10"], "VersionNotTested", "not been tested on Solr 10, 9.7; read"),
    ],
)
def test_acceptance_says_which_versions_are_not_tested(
    versions: list[str], reason: str, text: str
) -> None:
    found, message = describe_acceptance(versions)
    assert found == reason
    assert text in message


@pytest.mark.parametrize(
    ("nodes", "reason", "error", "text"),
    [
        (replace(READY, live=1), "SolrNotLive", TemporaryError, "1 of 2 Solr nodes"),
        (replace(READY, live=3), "SolrNotLive", TemporaryError, "3 of 2 Solr nodes"),
        (replace(READY, missing=("c",)), "SolrNotLive", TemporaryError, "not live: c"),
        (
            replace(READY, versions={"a": "9.10.1", "b": "11.0.0"}),
            "UnsupportedSolrVersion",
            PermanentError,
            "Solr 11.0.0, 9.10.1, supported are 9.x and 10.x; change spec.target.solrCloud.image",
        ),
        (
            replace(READY, heap_bytes={"a": 512 * MEBIBYTE, "b": 1024 * MEBIBYTE}),
            "HeapMismatch",
            PermanentError,
            "b reports a maximum heap of 1024 MiB, spec.target.solrCloud.heap is 512 MiB",
        ),
    ],
)
def test_nodes_unlike_the_spec(
    nodes: TargetNodes, reason: str, error: type[SolrbenchError], text: str
) -> None:
    assert_outcome(first_outcome(NODE_CHECKS, nodes), reason, error, text)


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
    ("pods", "expected"),
    [
        ((pod(), pod("other")), None),
        ((), ("TargetPodLost", AGAIN)),
        ((pod(uid="other"),), ("TargetPodLost", AGAIN)),
        ((pod(phase="Failed"),), ("TargetPodLost", AGAIN)),
        ((replace(pod(), deleting=True),), ("TargetPodLost", AGAIN)),
        ((pod(ended="Error"),), ("TargetPodLost", AGAIN)),
        ((pod(ended="OOMKilled"),), ("OOMKilled", PermanentError)),
        ((replace(pod(uid="other"), unschedulable="0/1 nodes"),), ("Unschedulable", AGAIN)),
    ],
)
def test_pods_of_a_target_that_was_ready(
    pods: tuple[PodView, ...], expected: tuple[str, type[SolrbenchError]] | None
) -> None:
    outcome = check_pods_unchanged({"solr-0": "u/0"}, pods, NOW)
    assert seen(outcome) == expected


def test_a_kill_before_the_target_was_ready_or_of_our_agent_is_no_reason_for_its_end() -> None:
    drained = replace(pod(ended="OOMKilled"), deleting=True)
    outcome = check_pods_unchanged({"solr-0": drained.identity}, [drained], NOW)
    assert seen(outcome) == ("TargetPodLost", AGAIN)
    agent = ContainerView("solrbench-agent", restarts=0, ended_reason="OOMKilled")
    beside = replace(pod(), deleting=True, containers=(*pod().containers, agent))
    assert seen(check_pods_unchanged({"solr-0": "u/0"}, [beside], NOW)) == ("TargetPodLost", AGAIN)
