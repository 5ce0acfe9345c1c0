"""A Solr of two shards that keeps the ids of documents, over HTTP and in this process."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2 as httpx

from support.servers.http_server import Exchange
from support.solr.states import replica

SHARDS = ("shard1", "shard2")
KINDS = ("n1", "n2")
GOOD = {"responseHeader": {"status": 0, "QTime": 1}}


class IndexingSolr:
    """Each shard has two replicas; `url` is where all of them are."""

    def __init__(self, url: str = "http://solr-0:8983/solr") -> None:
        self.url = url
        self.ids: set[str] = set()
        """Documents that are there."""
        self.removed: set[str] = set()
        """Documents that were there and were deleted."""
        self.lacking: dict[str, int] = {}
        """Number of documents that a core does not show, by its name."""
        self.inactive: set[str] = set()
        """Cores that are down."""
        self.refuses_deletions = False
        """Whether it responds to these with an error."""
        self.is_silent = False
        """Whether nothing listens, in this process."""
        self.commits = 0
        self.updates = 0
        self.on_update: Callable[[int], None] = lambda number: None
        """Called with the number of each update of documents, from 0."""

    async def __call__(self, exchange: Exchange) -> None:
        """Respond to a request over HTTP; updates take a moment."""
        if exchange.path.endswith("/update"):
            await asyncio.sleep(0.002)
        parameters, body = dict(exchange.parameters), exchange.body
        status, found = self._respond(exchange.path, parameters, body)
        exchange.send(json.dumps(found).encode(), status)

    def in_process(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request of a client without a connection."""
        if self.is_silent:
            raise httpx.ConnectError("connection refused")
        body = request.content.decode()
        status, found = self._respond(request.url.path, dict(request.url.params), body)
        return httpx.Response(status, json=found)

    def shard_of(self, document: str) -> str:
        return SHARDS[sum(document.encode()) % 2]

    def _respond(self, path: str, given: Mapping[str, str], body: str) -> tuple[int, Any]:
        core, _, handler = path.removeprefix("/solr/").partition("/")
        if core == "admin":
            return (200, self._state()) if given.get("action") == "CLUSTERSTATUS" else (404, {})
        if handler == "update":
            return self._update(given, json.loads(body))
        shard = core.removeprefix("books_").partition("_")[0]
        if shard not in SHARDS:
            return 200, GOOD | {"response": {"numFound": 1, "docs": []}}
        assert given["distrib"] == "false"
        prefix = given["q"].partition("}")[2]
        found = [each for each in self.ids if each.startswith(prefix)]
        number = sum(self.shard_of(each) == shard for each in found)
        number -= min(self.lacking.get(core, 0), number)
        return 200, GOOD | {"response": {"numFound": number}}

    def _update(self, given: Mapping[str, str], body: Any) -> tuple[int, Any]:
        if isinstance(body, dict):
            if self.refuses_deletions:
                return 500, {"error": {"msg": "no space left on device"}}
            assert given["expungeDeletes"] == "true"
            prefix = body["delete"]["query"].partition("}")[2]
            gone = {each for each in self.ids if each.startswith(prefix)}
            self.ids -= gone
            self.removed |= gone
        elif body:
            self.on_update(self.updates)
            self.updates += 1
            self.ids |= {each["id"] for each in body}
        self.commits += given.get("commit") == "true"
        return 200, GOOD

    def _state(self) -> dict[str, Any]:
        shards = {
            shard: {"replicas": {kind: self._replica(f"books_{shard}_{kind}") for kind in KINDS}}
            for shard in SHARDS
        }
        return {"cluster": {"collections": {"books": {"configName": "books", "shards": shards}}}}

    def _replica(self, core: str) -> dict[str, str]:
        state = "down" if core in self.inactive else "active"
        return replica(core, base_url=self.url, state=state)
