"""A Solr whose replicas find a document some time after it was added, each type later.

It responds in this process: a server of its own would add its time to what is measured.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

import gevent
import httpx2 as httpx

from support.solr.states import replica

SHARDS = ("shard1", "shard2")


class LaggingSolr:
    """Shards with a replica of each type; `lags` are seconds by type, the first type leads.

    As of Solr, those of type PULL refuse real-time gets, and the leader need not be listed first. A
    response to a query is `query_seconds` late.
    """

    def __init__(
        self,
        lags: Mapping[str, float],
        *,
        refuses: str = "",
        is_empty: bool = False,
        query_seconds: float = 0.0,
        shards: int = 2,
    ) -> None:
        self.shards = SHARDS[:shards]
        self.query_seconds = query_seconds
        self.lags, self.refuses, self.is_empty = dict(lags), refuses, is_empty
        self.added: dict[str, float] = {}
        self.deleted: list[str] = []
        self.bodies: list[tuple[dict[str, str], Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        core, _, handler = request.url.path.removeprefix("/solr/").partition("/")
        if request.method == "POST":
            return self._update(request)
        if core == "admin":
            return httpx.Response(200, json=self._state())
        given = request.url.params
        assert given["distrib"] == "false"
        shard, _, kind = core.partition("_")
        if handler == "get" and kind == "PULL":
            return httpx.Response(400, json={"error": {"msg": "real-time get is not allowed"}})
        if handler == "get":
            here = given["id"] in self.added and self._shard_of(given["id"]) == shard
            return httpx.Response(200, json={"doc": {"id": given["id"]} if here else None})
        name = given["q"].partition("}")[2]
        added = self.added.get(name)
        seen = added is not None and time.monotonic() - added >= self.lags[kind]
        found = int(seen and self._shard_of(name) == shard)
        gevent.sleep(self.query_seconds)
        return httpx.Response(200, json={"response": {"numFound": found}})

    def _update(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.bodies.append((dict(request.url.params), body))
        if isinstance(body, dict):
            self.deleted += self.added
            self.added.clear()
        elif self.refuses:
            return httpx.Response(400, json={"error": {"msg": self.refuses}})
        else:
            self.added |= {each["id"]: time.monotonic() for each in body}
        return httpx.Response(200, json={})

    def _shard_of(self, document: str) -> str:
        return self.shards[sum(document.encode()) % len(self.shards)]

    def _state(self) -> dict[str, Any]:
        shards = {
            shard: {"replicas": {kind: self._replica(shard, kind) for kind in reversed(self.lags)}}
            for shard in self.shards
        }
        collections = {} if self.is_empty else {"books": {"configName": "books", "shards": shards}}
        return {"cluster": {"collections": collections}}

    def _replica(self, shard: str, kind: str) -> dict[str, str]:
        leader = {"leader": "true"} if kind == next(iter(self.lags)) else {}
        return replica(f"{shard}_{kind}", type=kind, **leader)
