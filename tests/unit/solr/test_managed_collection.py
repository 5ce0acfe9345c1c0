import pytest

from solrbench.decide.checks.targets.existing_target import CollectionOwner
from solrbench.errors import TemporaryError
from solrbench.solr.managed_collection import (
    delete_stale_collection,
    observe_owner,
    remove,
)
from unit.solr.cloud import Cloud

PREFIX = "solrbench-0b5b-"
SECOND = f"{PREFIX}2"


def test_our_own_collection_is_known_by_its_config_set() -> None:
    cloud = Cloud()
    with cloud.client() as client:
        assert observe_owner(client, "base", PREFIX).config_set is None
        cloud.make("base", SECOND)
        assert observe_owner(client, "base", PREFIX).config_set == SECOND
        delete_stale_collection(client, "base", SECOND, PREFIX)
    assert cloud.changed == []


def test_collection_of_an_earlier_attempt_goes() -> None:
    cloud = Cloud()
    cloud.make("base", f"{PREFIX}1")
    with cloud.client() as client:
        assert observe_owner(client, "base", PREFIX).config_set == f"{PREFIX}1"
        assert cloud.changed == []
        delete_stale_collection(client, "base", SECOND, PREFIX)
        delete_stale_collection(client, "base", SECOND, PREFIX)
    assert cloud.changed == [("DELETE", "base")]


@pytest.mark.parametrize("config_set", ["_default", "base", "solrbench-other-1"])
def test_foreign_collection_is_left_alone(config_set: str) -> None:
    cloud = Cloud()
    cloud.make("base", config_set)
    with cloud.client() as client:
        found = observe_owner(client, "base", PREFIX)
        delete_stale_collection(client, "base", SECOND, PREFIX)
        remove(client, "base", PREFIX)
    assert found == CollectionOwner("base", config_set, PREFIX)
    assert cloud.changed == []


def test_removal_takes_collection_and_every_config_set_of_ours() -> None:
    cloud = Cloud(config_sets={"_default", "base", f"{PREFIX}1", SECOND, "solrbench-other-1"})
    cloud.make("base", SECOND)
    cloud.make("others", "_default")
    with cloud.client() as client:
        remove(client, "base", PREFIX)
        remove(client, "base", PREFIX)
    assert cloud.collections.keys() == {"others"}
    assert cloud.config_sets == {"_default", "base", "solrbench-other-1"}


def test_node_that_is_away_would_keep_its_part_so_it_is_waited_for() -> None:
    cloud = Cloud()
    cloud.make("base", SECOND)
    del cloud.nodes["a:8983_solr"]
    with cloud.client() as client:
        with pytest.raises(TemporaryError, match="a:8983_solr") as caught:
            remove(client, "base", PREFIX)
        assert cloud.changed == []
        remove(client, "base", PREFIX, at_once=True)
    assert caught.value.reason == "SolrNotLive"
    assert cloud.collections == {}
