from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.routing import batches as module
from solrbench.dataset.routing.batches import Batch, batches
from solrbench.dataset.routing.routes import Routes, parse_routes
from unit.dataset.fake_servers import two_shards

Documents = list[dict[str, Any]]


@pytest.fixture
def routes() -> Routes:
    found = parse_routes({"cluster": {"collections": {"books": two_shards()}}}, "books", "id")
    assert found is not None
    return found


def made(count: int, size: int = 0) -> Documents:
    return [{"id": str(number), "text": "x" * size} for number in range(count)]


def gather(documents: Documents, routes: Routes, limit: int = 10) -> list[Batch]:
    return list(batches(documents, routes, limit, "id"))


def test_each_document_is_in_one_batch_of_its_shard(routes: Routes) -> None:
    documents = [*made(95), {"id": "odd!"}]
    found = gather(documents, routes)
    bodies = [(batch.shard, each) for batch in found for each in orjson.loads(batch.body)]
    assert sorted(bodies, key=str) == sorted(
        ((routes.shard_of(each), each) for each in documents), key=str
    )
    assert [batch.documents for batch in found] == [len(orjson.loads(each.body)) for each in found]


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

    def counted() -> Iterator[dict[str, Any]]:
        nonlocal read
        for document in made(500, size=80):
            read += 1
            yield document

    taken = 0
    for batch in batches(counted(), routes, 1000, "id"):
        taken += batch.documents
        assert (read - taken) * 80 < 2000
    assert taken == 500


@pytest.mark.parametrize("value", [2**70, "\ud800"])
def test_what_json_cannot_express_is_malformed(routes: Routes, value: object) -> None:
    with pytest.raises(IndexingError, match="document 'a'") as caught:
        gather([{"id": "a", "value": value}], routes)
    assert caught.value.permanent
