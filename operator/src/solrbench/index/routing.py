"""The shard of each document, as Solr's routers compute it, and bodies gathered for each shard.

After `CompositeIdRouter` and `ImplicitDocRouter` of Solr 9 and 10. Where the rule is not certain
the route is `None`: any leader takes the document then, and Solr forwards it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import mmh3
import orjson

from solrbench.index.errors import IndexingError

_PREFIX = re.compile(r"([^!/]+)(?:/([0-9]{1,2}))?")
_ALL_BITS = 32
_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Shard:
    """One active shard.

    Attributes:
        name: its name in the collection
        first_hash: smallest unsigned hash of its range, counted from 0x80000000 (the smallest
            signed one); `None` with the implicit router
        leader: URL of the leader's core, or `None` while there is none
    """

    name: str
    first_hash: int | None
    leader: str | None


@dataclass(frozen=True)
class Routes:
    """How documents find the shards of one collection.

    Attributes:
        shards: the active ones, by the beginning of their ranges, else by name
        implicit: whether shards have no ranges and the sender names the shard
        key_field: field that is hashed: the router's field, else the unique key
        field_routed: whether the router has a field of its own
    """

    shards: tuple[Shard, ...]
    implicit: bool
    key_field: str
    field_routed: bool

    def shard_of(self, document: dict[str, Any]) -> str | None:
        """Return the name of the document's shard, or `None` when only Solr can know it."""
        key = _key_text(document.get(self.key_field))
        if key is None:
            return None
        if not self.implicit:
            return self._by_range(key)
        if self.field_routed:
            return key if key in self._names else None
        return self.shards[murmur3(key) % len(self.shards)].name

    def leader_of(self, shard: str | None, turn: int) -> str | None:
        """Return the leader of `shard`; without a shard the leaders take turns."""
        if shard is None:
            return self.shards[turn % len(self.shards)].leader
        return self._names[shard].leader if shard in self._names else None

    def via_endpoints(self, endpoints: list[str], direct: dict[str, str]) -> "Routes":
        """Return the same routes with leaders reached in the way that is allowed.

        Args:
            endpoints: addresses of the collection that any leader is reached through; Solr forwards
            direct: base URL of a node as Solr reports it, to the one to use
        """
        shards = tuple(
            replace(shard, leader=_reach(shard.leader, endpoints[i % len(endpoints)], direct))
            for i, shard in enumerate(self.shards)
        )
        return replace(self, shards=shards)

    @cached_property
    def _names(self) -> dict[str, Shard]:
        return {shard.name: shard for shard in self.shards}

    @cached_property
    def _starts(self) -> list[int]:
        return [shard.first_hash or 0 for shard in self.shards]

    def _by_range(self, key: str) -> str | None:
        value = composite_hash(key)
        if value is None:
            return None
        return self.shards[bisect_right(self._starts, _from_smallest(value)) - 1].name


def murmur3(text: str) -> int:
    """Return MurmurHash3 x86_32 of the UTF-8 text, seed 0, unsigned: the hash of Solr's routers."""
    return mmh3.hash(text, signed=False)


def composite_hash(key: str) -> int | None:
    """Return the 32-bit hash of an id by Solr's compositeId rule, or `None` for odd ids.

    `a!b` takes the upper 16 bits of the hash from `a`, `a!b!c` 8 from `a` and 8 from `b`; `a/3!b`
    takes 3 from `a`.
    """
    if "!" not in key:
        return murmur3(key)
    *prefixes, rest = key.split("!")
    parsed = [_PREFIX.fullmatch(prefix) for prefix in prefixes]
    if not rest or len(prefixes) > 2:
        return None
    default = 16 // len(prefixes)
    used, value = 0, 0
    for match in parsed:
        if match is None:
            return None
        bits = default if match[2] is None else int(match[2])
        if used + bits > _ALL_BITS:
            return None
        value |= murmur3(match[1]) & _window(used, bits)
        used += bits
    return value | murmur3(rest) & _window(used, _ALL_BITS - used)


def parse_routes(cluster_status: dict[str, Any], collection: str, id_field: str) -> Routes | None:
    """Return the routes out of a response to CLUSTERSTATUS; `None` without such a collection."""
    state = cluster_status["cluster"].get("collections", {}).get(collection)
    if state is None:
        return None
    router = state["router"]
    implicit = router["name"] == "implicit"
    shards = [
        Shard(name, None if implicit else _first_hash(shard["range"]), _leader(shard))
        for name, shard in state["shards"].items()
        if shard["state"] == "active"
    ]
    return Routes(
        shards=tuple(sorted(shards, key=lambda shard: (shard.first_hash or 0, shard.name))),
        implicit=implicit,
        key_field=router.get("field") or id_field,
        field_routed=bool(router.get("field")),
    )


def _reach(leader: str | None, endpoint: str, direct: dict[str, str]) -> str | None:
    if leader is None:
        return None
    base, _, engine = leader.rpartition("/")
    return f"{direct[base]}/{engine}" if base in direct else endpoint


def _key_text(value: object) -> str | None:
    """Return the value as Solr turns it into text; numbers with a fraction are left to Solr."""
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else None


def _window(skip: int, bits: int) -> int:
    """Return a mask of `bits` bits after the `skip` highest ones."""
    return _MASK >> skip & ~(_MASK >> (skip + bits))


def _from_smallest(value: int) -> int:
    """Return an unsigned hash as its distance from the smallest signed one."""
    return value ^ 0x80000000


def _first_hash(text: str) -> int:
    return _from_smallest(int(text.partition("-")[0], 16))


def _leader(shard: dict[str, Any]) -> str | None:
    for replica in shard["replicas"].values():
        if replica.get("leader") == "true" and replica["state"] == "active":
            return f"{replica['base_url']}/{replica['core']}"
    return None


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
