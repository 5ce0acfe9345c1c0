"""Shards, replicas and settings of a collection beside the spec."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.checks.collection import (
    REPLICA_CHECKS,
    USER_COLLECTION_CHECKS,
    CollectionOwner,
    CollectionReplicas,
    UserCollection,
    check_enough_nodes,
    check_own_collection,
    check_settings,
)
from solrbench.decide.checks.outcome import Action, Outcome, first_outcome
from solrbench.decide.solr_views import Replica


def wanted(**fields: Any) -> Collection:
    return Collection.model_validate(fields)


def made(shard: int, node: str, kind: str = "NRT", state: str = "active") -> Replica:
    name = f"books_shard{shard}_{node}"
    url = f"http://{node}:8983/solr"
    return Replica(f"shard{shard}", name, f"{node}:8983_solr", url, kind, state, leader=False)


def check(found: list[Replica], collection: Collection, nodes: int) -> Outcome | None:
    return first_outcome(REPLICA_CHECKS, CollectionReplicas(collection, tuple(found), nodes))


def test_replicas_as_wanted() -> None:
    found = [made(1, "a"), made(2, "b"), made(1, "b", "PULL"), made(2, "a", "PULL")]
    assert check(found, wanted(shards=2, replicas={"nrt": 1, "pull": 1}), 2) is None


def test_inactive_replica_is_waited_for() -> None:
    outcome = check([made(1, "a"), made(1, "b", state="recovering")], wanted(), 2)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("ReplicasNotActive", Action.WAIT)
    assert "books_shard1_b is recovering" in outcome.message


@pytest.mark.parametrize(
    ("found", "collection", "nodes", "reason", "text"),
    [
        ([made(1, "a")], wanted(shards=2), 1, "WrongReplicas", "1 shards instead of 2"),
        ([made(1, "a")], wanted(replicas={"nrt": 2}), 1, "WrongReplicas", "shard1 has"),
        ([made(1, "a", "TLOG")], wanted(), 1, "WrongReplicas", "shard1 has {'TLOG': 1}"),
        ([made(1, "a"), made(2, "a")], wanted(shards=2), 2, "UnevenPlacement", "'a:8983_solr': 2"),
        (
            [made(1, "a"), made(1, "a", "PULL")],
            wanted(replicas={"nrt": 1, "pull": 1}),
            2,
            "UnevenPlacement",
            "shard1 on a:8983_solr",
        ),
    ],
)
def test_wrong_replicas_are_an_error(
    found: list[Replica], collection: Collection, nodes: int, reason: str, text: str
) -> None:
    outcome = check(found, collection, nodes)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, Action.FAIL)
    assert text in outcome.message


def test_nodes_may_differ_by_one_replica() -> None:
    found = [made(1, "a"), made(2, "b"), made(3, "a")]
    assert check(found, wanted(shards=3), 2) is None
    assert check(found, wanted(shards=3), 3) is not None


@pytest.mark.parametrize(
    ("replicas", "reason"),
    [
        ((), "CollectionNotFound"),
        ((made(1, "a", state="down"),), "ReplicasNotActive"),
        ((made(1, "a"),), None),
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
    two = wanted(replicas={"nrt": 1, "pull": 1})
    assert check_enough_nodes(two, 2) is None
    outcome = check_enough_nodes(two, 1)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("TooFewNodes", Action.FAIL)
    assert "adds up to 2" in outcome.message
    assert "has 1 live nodes" in outcome.message


def test_setting_without_effect_is_an_error() -> None:
    assert check_settings({}) is None
    outcome = check_settings({"query.fieldValueCache.size": (7, None)})
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("SettingNotApplied", Action.FAIL)
    assert "query.fieldValueCache.size is None, not 7" in outcome.message
