"""The ZooKeeper that others make or run."""

import pytest

from solrbench.decide.checks.outcome import Action, Outcome
from solrbench.decide.checks.targets.solr_operator import check_clouds_served
from solrbench.decide.checks.targets.zookeeper import (
    check_clusters_served,
    check_provided_made,
    check_reachable,
)
from solrbench.reasons.target import TargetReason


@pytest.mark.parametrize(
    "outcome",
    [
        check_clouds_served(True),
        check_clusters_served(True),
        check_provided_made("base-zookeeper", True),
        check_reachable("zk-0:2181", True),
    ],
)
def test_what_is_there_needs_no_wait(outcome: Outcome | None) -> None:
    assert outcome is None


@pytest.mark.parametrize(
    ("outcome", "reason", "named"),
    [
        (check_clouds_served(False), TargetReason.SOLR_OPERATOR_MISSING, "solr-operator"),
        (check_clusters_served(False), TargetReason.ZOOKEEPER_OPERATOR_MISSING, "zookeeper.mode"),
        (
            check_provided_made("base-zookeeper", False),
            TargetReason.ZOOKEEPER_NOT_READY,
            "base-zookeeper",
        ),
        (
            check_reachable("zk-0:2181", False),
            TargetReason.ZOOKEEPER_UNREACHABLE,
            "connectionString",
        ),
    ],
)
def test_what_is_missing_is_waited_for_by_name(
    outcome: Outcome, reason: TargetReason, named: str
) -> None:
    assert (outcome.reason, outcome.action) == (reason, Action.WAIT)
    assert named in outcome.message
