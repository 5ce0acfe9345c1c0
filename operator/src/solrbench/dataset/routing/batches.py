"""Documents gathered into the bodies of update requests, one row of bodies for each shard."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.routing.routes import Routes

BODY_BYTES = 8 << 20
"""A body is closed when it is this long, however few documents it holds."""

OPEN_BYTES = 32 << 20
"""When all open bodies together hold this much, the longest one is closed."""


@dataclass(frozen=True)
class Batch:
    """The body of one update request.

    Attributes:
        shard: shard of all its documents; `None` when Solr has to find it
        body: a JSON array of documents
        documents: how many

    """

    shard: str | None
    body: bytes
    documents: int


@dataclass
class _Open:
    parts: list[bytes] = field(default_factory=list)
    size: int = 0


def batches(
    documents: Iterable[dict[str, Any]], routes: Routes, limit: int, id_field: str
) -> Iterator[Batch]:
    """Gather documents by shard, at most `limit` in a batch; memory is bounded by `OPEN_BYTES`.

    Raises:
        IndexingError: a document holds what JSON cannot express

    """
    rows: dict[str | None, _Open] = {}
    waiting = 0
    for document in documents:
        shard = routes.shard_of(document)
        text = _encoded(document, id_field)
        row = rows.setdefault(shard, _Open())
        row.parts.append(text)
        row.size += len(text)
        waiting += len(text)
        if len(row.parts) < limit and row.size < BODY_BYTES:
            if waiting < OPEN_BYTES:
                continue
            shard = max(rows, key=lambda name: rows[name].size)
        waiting -= rows[shard].size
        yield _closed(shard, rows.pop(shard))
    yield from (_closed(shard, row) for shard, row in rows.items())


def _encoded(document: dict[str, Any], id_field: str) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError as error:
        where = f"document {document.get(id_field)!r}"
        raise IndexingError.malformed(where, error) from error


def _closed(shard: str | None, row: _Open) -> Batch:
    return Batch(shard, b"[" + b",".join(row.parts) + b"]", len(row.parts))
