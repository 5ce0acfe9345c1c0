"""Shards, replicas and settings of a collection beside the spec."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.collection import REPLICA_CHECKS, CollectionReplicas, check_settings
from solrbench.decide.outcome import Outcome, first_outcome
from solrbench.decide.views import Replica
from solrbench.errors import PermanentError, TemporaryError
from support.resources.outcomes import assert_outcome


def wanted(**fields: Any) -> Collection:
    return Collection.model_validate(fields)


def made(shard: int, node: str, kind: str = "NRT", state: str = "active") -> Replica:
    name = f"books_shard{shard}_{node}"
    url = f"http://{node}:8983/solr"
    return Replica(f"shard{shard}", name, f"{node}:8983_solr", url, kind, state, leader=False)


def check(found: list[Replica], collection: Collection, nodes: int) -> Outcome | None:
    return first_outcome(REPLICA_CHECKS, CollectionReplicas(collection, tuple(found), nodes))


PAIR = wanted(replicas={"nrt": 1, "pull": 1})


def test_replicas_as_wanted() -> None:
    found = [made(1, "a"), made(2, "b"), made(1, "b", "PULL"), made(2, "a", "PULL")]
    assert check(found, wanted(shards=2, replicas={"nrt": 1, "pull": 1}), 2) is None


def test_inactive_replica_is_waited_for() -> None:
    outcome = check([made(1, "a"), made(1, "b", state="recovering")], wanted(), 2)
    assert_outcome(outcome, "ReplicasNotActive", TemporaryError, "books_shard1_b is recovering")


@pytest.mark.parametrize(
    ("found", "collection", "nodes", "reason", "text"),
    [
        ([made(1, "a")], wanted(shards=2), 1, "WrongReplicas", "1 shards instead of 2"),
        ([made(1, "a")], wanted(replicas={"nrt": 2}), 1, "WrongReplicas", "shard1 has"),
        ([made(1, "a", "TLOG")], wanted(), 1, "WrongReplicas", "shard1 has {'TLOG': 1}"),
        ([made(1, "a"), made(2, "a")], wanted(shards=2), 2, "UnevenPlacement", "'a:8983_solr': 2"),
        ([made(1, "a"), made(1, "a", "PULL")], PAIR, 2, "UnevenPlacement", "shard1 on a:8983_solr"),
    ],
)
def test_wrong_replicas_are_an_error(
    found: list[Replica], collection: Collection, nodes: int, reason: str, text: str
) -> None:
    assert_outcome(check(found, collection, nodes), reason, PermanentError, text)


def test_nodes_may_differ_by_one_replica() -> None:
    found = [made(1, "a"), made(2, "b"), made(3, "a")]
    assert check(found, wanted(shards=3), 2) is None
    assert check(found, wanted(shards=3), 3) is not None


def test_setting_without_effect_is_an_error() -> None:
    assert check_settings({}) is None
    outcome = check_settings({"query.fieldValueCache.size": (7, None)})
    words = "query.fieldValueCache.size is None, not 7"
    assert_outcome(outcome, "SettingNotApplied", PermanentError, words)
