"""The shard of each document, as Solr's routers compute it, and bodies gathered for each shard.

After `CompositeIdRouter` and `ImplicitDocRouter` of Solr 9 and 10. Where the rule is not certain
the route is `None`: any leader takes the document then, and Solr forwards it.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import mmh3
import orjson

from solrbench.index.errors import IndexingError
from solrbench.index.readers import Record

_PREFIX = re.compile(r"([^!/]+)(?:/([0-9]{1,2}))?")
_ALL_BITS = 32
_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Shard:
    """One active shard."""

    name: str
    first_hash: int | None
    """The smallest unsigned hash of its range, counted from 0x80000000 (the smallest signed one);
    `None` with the implicit router."""
    leader: str | None
    """The URL of the leader's core; `None` while there is none."""


@dataclass(frozen=True)
class Routes:
    """How documents find the shards of one collection."""

    shards: tuple[Shard, ...]
    """The active ones, by the beginning of their ranges, else by name."""
    implicit: bool
    """Whether shards have no ranges and the sender names the shard."""
    key_field: str
    """The field that is hashed: the router's field, else the unique key."""
    field_routed: bool
    """Whether the router has a field of its own."""

    def shard_of(self, document: dict[str, Any]) -> str | None:
        """Return the name of the document's shard, or `None` when only Solr can know it."""
        if self.only_shard is not None:
            return self.only_shard
        key = _key_text(document.get(self.key_field))
        if key is None:
            return None
        if self.implicit and self.field_routed:
            return key if key in self._names else None
        if self.implicit:
            return self.shards[murmur3(key) % len(self.shards)].name
        value = composite_hash(key)
        if value is None:
            return None  # Solr's own code has the last word on odd ids
        return self.shards[bisect_right(self._starts, _from_smallest(value)) - 1].name

    def leader_of(self, shard: str | None, turn: int) -> str | None:
        """Return the leader of `shard`; without a shard the leaders take turns."""
        if shard is None:
            return self.shards[turn % len(self.shards)].leader
        return self._names[shard].leader if shard in self._names else None

    def via_endpoints(self, endpoints: list[str], direct: dict[str, str]) -> "Routes":
        """Return the same routes with leaders reached in the way that is allowed.

        Through any of the `endpoints` of the collection Solr forwards to the leader; `direct` has,
        by the base URL of a node as Solr reports it, the one to use.
        """
        shards = tuple(
            replace(shard, leader=_reach(shard.leader, endpoints[i % len(endpoints)], direct))
            for i, shard in enumerate(self.shards)
        )
        return replace(self, shards=shards)

    @cached_property
    def only_shard(self) -> str | None:
        """The shard of every document; `None` where it depends on the document."""
        return self.shards[0].name if len(self.shards) == 1 and not self.field_routed else None

    @cached_property
    def _names(self) -> dict[str, Shard]:
        return {shard.name: shard for shard in self.shards}

    @cached_property
    def _starts(self) -> list[int]:
        return [shard.first_hash or 0 for shard in self.shards]


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
    if not rest or len(prefixes) > 2:
        return None
    default = 16 // len(prefixes)
    used, value = 0, 0
    for match in map(_PREFIX.fullmatch, prefixes):
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
    shards = []
    for name, shard in state["shards"].items():
        # Those of a split have ranges beside their parent's until it is over.
        if shard["state"] == "active":
            begin = "0" if implicit else shard["range"].partition("-")[0]
            first_hash = None if implicit else _from_smallest(int(begin, 16))
            shards.append(Shard(name, first_hash, _leader(shard)))
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
    return str(value) if type(value) is int else None  # `True` is an int to isinstance


def _window(skip: int, bits: int) -> int:
    """Return a mask of `bits` bits after the `skip` highest ones."""
    return _MASK >> skip & ~(_MASK >> (skip + bits))


def _from_smallest(value: int) -> int:
    """Return an unsigned hash as its distance from the smallest signed one."""
    return value ^ 0x80000000


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
    """The body of one update request, a JSON array of so many documents."""

    shard: str | None
    """The shard of all of them; `None` when Solr has to find it."""
    body: bytes
    documents: int


def batches(
    records: Iterable[Record], routes: Routes, limit: int, id_field: str
) -> Iterator[Batch]:
    """Gather documents by shard, at most `limit` in a batch; memory is bounded by `OPEN_BYTES`.

    It raises `IndexingError` if a document holds what JSON cannot express.
    """
    rows: defaultdict[str | None, list[bytes]] = defaultdict(list)
    sizes: defaultdict[str | None, int] = defaultdict(int)
    waiting, only = 0, routes.only_shard
    for document, line in records:
        shard = only or routes.shard_of(document)
        try:
            text = line or orjson.dumps(document)
        except TypeError as error:
            where = f"document {document.get(id_field)!r}"
            raise IndexingError.malformed(where, error) from error
        row = rows[shard]
        row.append(text)
        sizes[shard] += len(text)
        waiting += len(text)
        if len(row) < limit and sizes[shard] < BODY_BYTES:
            if waiting < OPEN_BYTES:
                continue
            shard = max(rows, key=lambda name: sizes[name])
        waiting -= sizes.pop(shard)
        yield _closed(shard, rows.pop(shard))
    yield from (_closed(shard, row) for shard, row in rows.items())


def _closed(shard: str | None, row: list[bytes]) -> Batch:
    # Not around the joined row, which would be copied once more.
    row[0] = b"[" + row[0]
    row[-1] += b"]"
    return Batch(shard, b",".join(row), len(row))
