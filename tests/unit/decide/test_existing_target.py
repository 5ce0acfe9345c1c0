"""An existing target: its collection and its nodes."""

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.existing_target import check_enough_nodes, check_own_collection
from solrbench.errors import PermanentError
from support.resources.outcomes import assert_outcome


@pytest.mark.parametrize("config_set", ["_default", "base", "solrbench-other-1"])
def test_foreign_collection_ends_the_benchmark(config_set: str) -> None:
    outcome = check_own_collection("base", config_set, "solrbench-0b5b-")
    assert_outcome(outcome, "CollectionExists", PermanentError, "left alone")


def test_each_replica_of_a_shard_needs_a_node() -> None:
    two = Collection.model_validate({"replicas": {"nrt": 1, "pull": 1}})
    assert check_enough_nodes(two, 2) is None
    words = "adds up to 2", "has 1 live nodes"
    assert_outcome(check_enough_nodes(two, 1), "TooFewNodes", PermanentError, *words)
