from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from solrbench.index import routing as module
from solrbench.index.errors import IndexingError
from solrbench.index.readers import Record
from solrbench.index.routing import Batch, Routes, batches, composite_hash, murmur3, parse_routes
from support.failing import failing
from support.narrowing import not_none
from support.servers.index_servers import shard, two_shards

Documents = list[dict[str, Any]]


def shard_routes(collection: dict[str, Any]) -> Routes:
    found = parse_routes({"cluster": {"collections": {"books": collection}}}, "books", "id")
    return not_none(found)


@pytest.fixture
def routes() -> Routes:
    return shard_routes(two_shards())


def made(count: int, size: int = 0) -> Documents:
    return [{"id": str(number), "text": "x" * size} for number in range(count)]


def gather(documents: Documents, routes: Routes, limit: int = 10) -> list[Batch]:
    return list(batches(((each, None) for each in documents), routes, limit, "id"))


def test_each_document_is_in_one_batch_of_its_shard(routes: Routes) -> None:
    documents = [*made(95), {"id": "odd!"}]
    found = gather(documents, routes)
    bodies = [(batch.shard, each) for batch in found for each in orjson.loads(batch.body)]
    placed = [(routes.shard_of(each), each) for each in documents]
    assert sorted(bodies, key=str) == sorted(placed, key=str)
    assert [batch.documents for batch in found] == [len(orjson.loads(each.body)) for each in found]


def test_line_of_a_file_is_sent_as_it_stands() -> None:
    records: list[Record] = [
        ({"id": "1", "price": 1.5}, b'{"id": "1", "price": 1.50}\n'),
        ({"id": "2"}, None),
    ]
    one_shard = two_shards() | {"shards": {"only": shard("80000000-7fffffff", "books_only")}}
    (batch,) = batches(records, shard_routes(one_shard), 10, "id")
    assert batch.body == b'[{"id": "1", "price": 1.50}\n,{"id":"2"}]'


def test_batches_are_full_but_for_the_last_of_each_shard(routes: Routes) -> None:
    sizes = [batch.documents for batch in gather(made(95), routes)]
    assert max(sizes) == 10
    assert sum(size < 10 for size in sizes) <= 2


def test_long_documents_close_a_batch_early(
    routes: Routes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BODY_BYTES", 1000)
    found = gather(made(50, size=300), routes)
    assert max(len(batch.body) for batch in found) < 1500
    assert sum(batch.documents for batch in found) == 50


def test_open_bodies_are_bounded_together(routes: Routes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OPEN_BYTES", 2000)
    read = 0

    def counted() -> Iterator[Record]:
        nonlocal read
        for document in made(500, size=80):
            read += 1
            yield document, None

    taken = 0
    for batch in batches(counted(), routes, 1000, "id"):
        taken += batch.documents
        assert (read - taken) * 80 < 2000
    assert taken == 500


@pytest.mark.parametrize("value", [2**70, "\ud800"])
def test_what_json_cannot_express_is_malformed(routes: Routes, value: object) -> None:
    with failing(IndexingError, "MalformedDocument", "document 'a'", permanent=True):
        gather([{"id": "a", "value": value}], routes)


def implicit(field: str | None = None) -> Routes:
    shards = {name: shard(None, name) for name in ("shard2", "shard1", "shard3")}
    return shard_routes({"router": {"name": "implicit", "field": field}, "shards": shards})


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
    found = shard_routes({"router": {"name": "compositeId"}, "shards": shards})
    assert found.shard_of({"id": key}) == expected


def test_prefix_decides_the_upper_half() -> None:
    assert composite_hash("tenant!a") == murmur3("tenant") & 0xFFFF0000 | murmur3("a") & 0xFFFF
    assert composite_hash("t/0!a") == murmur3("a")
    assert composite_hash("t/32!a") == murmur3("t")


@pytest.mark.parametrize("key", ["a!", "!a", "a!!b", "a!b!c!d", "a/b!c", "a/33!b", "a/20!b/20!c"])
def test_odd_prefixes_are_left_to_solr(key: str) -> None:
    assert composite_hash(key) is None
    assert shard_routes(two_shards()).shard_of({"id": key}) is None


@pytest.mark.parametrize("value", [1.5, True, ["a"], {"set": "a"}, None])
def test_whole_numbers_are_hashed_as_text_and_what_solr_spells_otherwise_is_left_to_it(
    value: object, routes: Routes
) -> None:
    assert routes.shard_of({"id": 17}) == routes.shard_of({"id": "17"})
    assert routes.shard_of({"id": value}) is None


def test_field_of_the_router_is_hashed(routes: Routes) -> None:
    found = shard_routes({**two_shards(), "router": {"name": "compositeId", "field": "author"}})
    assert found.shard_of({"id": "1", "author": "Woolf"}) == routes.shard_of({"id": "Woolf"})
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
    found = shard_routes(state)
    assert found.leader_of("shard1", 0) == "{url}/books_shard1"
    assert found.leader_of("shard2", 0) is None
    assert found.leader_of("gone", 0) is None
    leader = "{url}/books_shard1"
    assert [found.leader_of(None, turn) for turn in range(3)] == [leader, None, leader]


def test_split_parents_take_no_documents() -> None:
    state = two_shards()
    state["shards"]["old"] = {**shard("80000000-7fffffff", "old"), "state": "inactive"}
    assert [each.name for each in shard_routes(state).shards] == ["shard1", "shard2"]


def test_unknown_collection_has_no_routes() -> None:
    assert parse_routes({"cluster": {"collections": {}}}, "books", "id") is None
