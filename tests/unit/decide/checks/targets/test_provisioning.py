"""ZooKeeper and the Solr nodes on their way."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from solrbench.decide.checks.outcome import Action, Outcome
from solrbench.decide.checks.targets.provisioning import (
    ComponentPods,
    ZooKeeperHeap,
    check_ensemble,
    check_solr_pods,
    check_zookeeper_heap,
)
from solrbench.decide.pods.problems import PodProblem
from solrbench.reasons.pod import PodReason
from support.resources.pod_views import pod_view
from support.resources.solr_clouds import CREATED

NOW = datetime.fromisoformat(CREATED).astimezone(UTC)
POD = pod_view("one-solr-0", NOW, phase="Pending", ready=False)
UNSCHEDULABLE = replace(POD, unschedulable="0/1 nodes are available")


@pytest.mark.parametrize(
    ("check", "reason", "words"),
    [
        (check_ensemble, "ZooKeeperNotReady", "1 of 3 ZooKeeper members"),
        (check_solr_pods, "SolrNotReady", "1 of 3 Solr pods"),
    ],
)
def test_components_are_waited_for(
    check: Callable[[ComponentPods], Outcome | None], reason: str, words: str
) -> None:
    waiting = ComponentPods(1, 3, (POD,), NOW)
    outcome = check(waiting)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, Action.WAIT)
    assert words in outcome.message
    stuck = check(replace(waiting, pods=(POD, UNSCHEDULABLE)))
    assert stuck is not None
    assert (stuck.reason, stuck.action) == ("Unschedulable", Action.WAIT)
    assert check(replace(waiting, ready=3, pods=(UNSCHEDULABLE,))) is None


def test_pods_that_may_not_be_created() -> None:
    refused = PodProblem(PodReason.FAILED_CREATE, "exceeded quota")
    outcome = check_solr_pods(ComponentPods(0, 3, (), NOW, refused))
    assert outcome is not None
    assert (outcome.reason, outcome.message) == ("FailedCreate", "exceeded quota")


@pytest.mark.parametrize(
    ("mebibytes", "matches"), [(512, True), (495, True), (None, True), (1000, False), (256, False)]
)
def test_heap_that_zookeeper_reports(mebibytes: int | None, matches: bool) -> None:
    found = None if mebibytes is None else mebibytes << 20
    outcome = check_zookeeper_heap(ZooKeeperHeap({"zoo-1": 512 << 20, "zoo-2": found}, 512 << 20))
    assert (outcome is None) is matches
    if outcome is not None:
        assert (outcome.reason, outcome.action) == ("HeapMismatch", Action.FAIL)
        assert f"zoo-2 reports a maximum heap of {mebibytes} MiB" in outcome.message
