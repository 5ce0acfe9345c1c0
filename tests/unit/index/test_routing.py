from typing import Any

import pytest

from solrbench.dataset.routing.routes import Routes, composite_hash, murmur3, parse_routes
from unit.dataset.fake_servers import shard, two_shards


def routes(collection: dict[str, Any]) -> Routes:
    found = parse_routes({"cluster": {"collections": {"books": collection}}}, "books", "id")
    assert found is not None
    return found


def implicit(field: str | None = None) -> Routes:
    shards = {name: shard(None, name) for name in ("shard2", "shard1", "shard3")}
    return routes({"router": {"name": "implicit", "field": field}, "shards": shards})


# Where Solr 9.10.1 itself put these ids: seven shards, each document asked of each core.
SEVEN = {
    "shard1": "80000000-a491ffff",
    "shard2": "a4920000-c923ffff",
    "shard3": "c9240000-edb5ffff",
    "shard4": "edb60000-1248ffff",
    "shard5": "12490000-36daffff",
    "shard6": "36db0000-5b6cffff",
    "shard7": "5b6d0000-7fffffff",
}
PLACED = [
    ("doc-000000000000", "shard1"),
    ("doc-000000000001", "shard7"),
    ("17", "shard7"),
    ("-5", "shard3"),
    ("größe", "shard3"),
    ("日本 1", "shard2"),
    ("😀\U0001d4b3 2", "shard3"),
    ("books.jsonl-1", "shard6"),
    ("x/y", "shard7"),
    ("tenant!doc1", "shard1"),
    ("tenant!doc2", "shard1"),
    ("a/3!b", "shard5"),
    ("a/31!b", "shard6"),
    ("a/32!b", "shard6"),
    ("é!日本", "shard4"),
    ("a!b!c", "shard6"),
    ("a/4!b!c", "shard5"),
    ("a!b/12!c", "shard6"),
    ("a/8!b/24!c", "shard6"),
    ("😀/7!x!y", "shard2"),
]


@pytest.mark.parametrize(("key", "expected"), PLACED)
def test_route_of_an_id_agrees_with_solr(key: str, expected: str) -> None:
    shards = {name: shard(range_, name) for name, range_ in SEVEN.items()}
    found = routes({"router": {"name": "compositeId"}, "shards": shards})
    assert found.shard_of({"id": key}) == expected


def test_prefix_decides_the_upper_half() -> None:
    assert composite_hash("tenant!a") == murmur3("tenant") & 0xFFFF0000 | murmur3("a") & 0xFFFF
    assert composite_hash("t/0!a") == murmur3("a")
    assert composite_hash("t/32!a") == murmur3("t")


@pytest.mark.parametrize("key", ["a!", "!a", "a!!b", "a!b!c!d", "a/b!c", "a/33!b", "a/20!b/20!c"])
def test_odd_prefixes_are_left_to_solr(key: str) -> None:
    assert composite_hash(key) is None
    assert routes(two_shards()).shard_of({"id": key}) is None


def test_ranges_are_signed() -> None:
    found = routes(two_shards())
    assert [each.name for each in found.shards] == ["shard1", "shard2"]
    assert murmur3("") == 0
    assert found.shard_of({"id": ""}) == "shard2"


@pytest.mark.parametrize("value", [1.5, True, ["a"], {"set": "a"}, None])
def test_values_that_solr_spells_its_own_way_are_left_to_solr(value: object) -> None:
    assert routes(two_shards()).shard_of({"id": value}) is None


def test_whole_numbers_are_hashed_as_text() -> None:
    found = routes(two_shards())
    assert found.shard_of({"id": 17}) == found.shard_of({"id": "17"})


def test_field_of_the_router_is_hashed() -> None:
    found = routes({**two_shards(), "router": {"name": "compositeId", "field": "author"}})
    by_id = routes(two_shards())
    document = {"id": "1", "author": "Woolf"}
    assert found.shard_of(document) == by_id.shard_of({"id": "Woolf"})
    assert found.shard_of({"id": "1"}) is None


def test_implicit_shards_share_the_ids() -> None:
    found = implicit()
    placed = [found.shard_of({"id": str(number)}) for number in range(300)]
    assert {placed.count(name) // 50 for name in ("shard1", "shard2", "shard3")} <= {1, 2}
    assert found.shard_of({"id": "x"}) == f"shard{murmur3('x') % 3 + 1}"


def test_implicit_with_field_takes_its_value_as_shard() -> None:
    found = implicit("home")
    assert found.shard_of({"id": "1", "home": "shard3"}) == "shard3"
    assert found.shard_of({"id": "1", "home": "nowhere"}) is None


def test_leaders_of_active_shards_are_found() -> None:
    state = two_shards()
    state["shards"]["shard2"] = shard("0-7fffffff", "books_shard2", leader=False)
    found = routes(state)
    assert found.leader_of("shard1", 0) == "{url}/books_shard1"
    assert found.leader_of("shard2", 0) is None
    assert found.leader_of("gone", 0) is None
    assert [found.leader_of(None, turn) for turn in range(3)] == [
        "{url}/books_shard1",
        None,
        "{url}/books_shard1",
    ]


def test_split_parents_take_no_documents() -> None:
    state = two_shards()
    state["shards"]["old"] = {**shard("80000000-7fffffff", "old"), "state": "inactive"}
    assert [each.name for each in routes(state).shards] == ["shard1", "shard2"]


def test_unknown_collection_has_no_routes() -> None:
    assert parse_routes({"cluster": {"collections": {}}}, "books", "id") is None
