"""An existing target: its SolrCloud, its collection and its nodes."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.checks.targets.existing_target import (
    EXISTING_CHECKS,
    EXISTING_CLOUD_CHECKS,
    PATIENCE,
    USER_COLLECTION_CHECKS,
    CollectionOwner,
    ExistingNodes,
    ExistingSolrCloud,
    UserCollection,
    check_enough_nodes,
    check_own_collection,
)
from solrbench.decide.solr_views import NodeIdentity, Replica
from solrbench.errors import TemporaryError
from solrbench.reasons.target import TargetReason


def cloud(*ready: bool) -> dict[str, Any]:
    nodes = [
        {"internalAddress": f"http://{name}.nodes.search:8983", "ready": each}
        for name, each in zip("abc", ready, strict=False)
    ]
    return {"status": {"solrNodes": nodes}}


def test_cloud_with_all_nodes_ready() -> None:
    found = ExistingSolrCloud("books", "search", served=True, body=cloud(True, True))
    assert first_outcome(EXISTING_CLOUD_CHECKS, found) is None
    assert found.node_urls == [
        "http://a.nodes.search:8983/solr",
        "http://b.nodes.search:8983/solr",
    ]


@pytest.mark.parametrize(
    ("served", "body", "reason", "message"),
    [
        (False, None, "SolrOperatorMissing", "install the Solr Operator, or set urls"),
        (True, None, "SolrCloudNotFound", "no SolrCloud books in namespace search"),
        (True, {}, "SolrCloudNotReady", "0 of 0 nodes of books are ready"),
        (True, {"status": None}, "SolrCloudNotReady", "0 of 0 nodes"),
        (True, cloud(True, False, True), "SolrCloudNotReady", "2 of 3 nodes of books are ready"),
    ],
)
def test_cloud_that_is_not_there_yet_is_waited_for(
    served: bool, body: dict[str, Any] | None, reason: str, message: str
) -> None:
    found = ExistingSolrCloud("books", "search", served, body)
    outcome = first_outcome(EXISTING_CLOUD_CHECKS, found)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, Action.WAIT)
    assert message in outcome.message


def replica(state: str) -> Replica:
    url = "http://a:8983/solr"
    return Replica("shard1", "books_shard1_a", "a:8983_solr", url, "NRT", state, leader=False)


@pytest.mark.parametrize(
    ("replicas", "reason"),
    [
        ((), "CollectionNotFound"),
        ((replica("down"),), "ReplicasNotActive"),
        ((replica("active"),), None),
    ],
)
def test_collection_of_the_user_is_waited_for(
    replicas: tuple[Replica, ...], reason: str | None
) -> None:
    outcome = first_outcome(USER_COLLECTION_CHECKS, UserCollection("books", replicas))
    assert (outcome.reason if outcome else None) == reason
    assert outcome is None or outcome.action is Action.WAIT


@pytest.mark.parametrize("config_set", [None, "solrbench-0b5b-1", "solrbench-0b5b-2"])
def test_collection_of_the_benchmark_is_its_own(config_set: str | None) -> None:
    assert check_own_collection(CollectionOwner("base", config_set, "solrbench-0b5b-")) is None


@pytest.mark.parametrize("config_set", ["_default", "base", "solrbench-other-1"])
def test_foreign_collection_ends_the_benchmark(config_set: str) -> None:
    outcome = check_own_collection(CollectionOwner("base", config_set, "solrbench-0b5b-"))
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("CollectionExists", Action.FAIL)
    assert "left alone" in outcome.message


def test_each_replica_of_a_shard_needs_a_node() -> None:
    two = Collection.model_validate({"replicas": {"nrt": 1, "pull": 1}})
    assert check_enough_nodes(two, 2) is None
    outcome = check_enough_nodes(two, 1)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("TooFewNodes", Action.FAIL)
    assert "adds up to 2" in outcome.message
    assert "has 1 live nodes" in outcome.message


SILENT = TemporaryError(TargetReason.SOLR_UNREACHABLE, "connection refused")
STARTED = {"a": "1", "b": "1"}


def nodes(**started: str) -> dict[str, NodeIdentity]:
    return {name: NodeIdentity("9.10.1", 1, start) for name, start in started.items()}


@pytest.mark.parametrize(
    ("found", "reason", "action"),
    [
        (ExistingNodes(STARTED, nodes(a="1", b="1", c="7"), timedelta()), None, None),
        (
            ExistingNodes(STARTED, nodes(a="1"), timedelta()),
            "TargetNodeLost",
            Action.RESTART_TARGET,
        ),
        (
            ExistingNodes(STARTED, nodes(a="1", b="2"), timedelta()),
            "TargetNodeLost",
            Action.RESTART_TARGET,
        ),
        (ExistingNodes(STARTED, SILENT, PATIENCE), None, None),
        (ExistingNodes(STARTED, SILENT, PATIENCE, required=True), "SolrUnreachable", Action.WAIT),
        (
            ExistingNodes(STARTED, SILENT, PATIENCE + timedelta(seconds=1)),
            "TargetUnreachable",
            Action.RESTART_TARGET,
        ),
    ],
)
def test_nodes_of_an_existing_target_that_was_ready(
    found: ExistingNodes, reason: str | None, action: Action | None
) -> None:
    outcome = first_outcome(EXISTING_CHECKS, found)
    seen = (None, None) if outcome is None else (outcome.reason, outcome.action)
    assert seen == (reason, action)
