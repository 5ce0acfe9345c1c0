"""A Solr that responds from a table, on a port of this machine."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from support.servers.in_thread import QuietHandler, served_by
from support.solr.states import replica

SYSTEM = {
    "lucene": {"solr-spec-version": "9.10.1"},
    "jvm": {
        "memory": {"raw": {"max": 2 << 30}},
        "jmx": {"startTime": "2026-11-01T00:00:00Z"},
        "version": "21",
    },
}
NODES = ("a:8983_solr", "b:8983_solr")


def _shard(number: int) -> dict[str, Any]:
    replicas = {
        f"core_node{number}{place}": replica(
            f"books_shard{number}_replica_{place}", node, type=kind
        )
        for place, (node, kind) in enumerate((("a", "NRT"), ("b", "NRT"), ("a", "PULL")))
    }
    return {"state": "active", "replicas": replicas}


BOOKS = {
    "configName": "books-7",
    "router": {"name": "compositeId", "field": "shelf_s"},
    "shards": {
        "shard1": {"state": "inactive", "replicas": {}},
        "shard1_0": _shard(1),
        "shard1_1": _shard(2),
    },
}
CONFIG = {
    "filterCache": {"class": "solr.CaffeineCache", "size": "512", "autowarmCount": "50%"},
    "queryResultCache": {"size": "1000", "initialSize": "64", "autowarmCount": "0"},
}
FIELDS = {
    "_version_": {"type": "plong", "schema": "I-SDU", "docs": 9},
    "id": {"type": "string", "schema": "I-SD-", "docs": 12345},
    "category_s": {"type": "string", "schema": "I-SD-", "docs": 12000},
    "a b}{!x": {"type": "text_general", "schema": "ITS--M", "docs": 12345},
    "price_d": {"type": "pdouble", "schema": "I-SDU"},
    "title_t": {"type": "text_general", "schema": "ITS--M", "docs": 11000},
}


def cloud() -> dict[str, Any]:
    """Return the responses of Solr 9.10 about the collection `books`, by path or action."""
    return {
        "LIST": {"collections": ["books"]},
        "CLUSTERSTATUS": {"cluster": {"collections": {"books": BOOKS}, "live_nodes": [*NODES]}},
        "/admin/info/system": dict.fromkeys(NODES, SYSTEM),
        "/admin/zookeeper/status": {"zkStatus": {"ensembleSize": 3}},
        "/books/select": {"response": {"numFound": 12345, "docs": []}},
        "/books/schema/uniquekey": {"uniqueKey": "id"},
        "/books/config": {"config": {"query": CONFIG}},
        "/books/admin/luke": {"fields": FIELDS},
        "title_t": {"terms": {"title_t": ["garden", 40, 'music "\n& {!x}', 3, "x" * 500, 1]}},
        "category_s": {"terms": {"category_s": ["fiction", 9000]}},
    }


@dataclass
class TableServer:
    """A Solr and what it was asked; a code may stand in place of a body."""

    replies: dict[str, Any] = field(default_factory=cloud)
    url: str = ""
    authorizations: list[str | None] = field(default_factory=list)


@contextmanager
def serving_table() -> Iterator[TableServer]:
    """Serve `cloud()`, which the test may change, while it goes on."""
    table = TableServer()

    class Handler(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            parts = urlsplit(self.path)
            asked = dict(parse_qsl(parts.query))
            table.authorizations.append(self.headers["Authorization"])
            path = parts.path.removeprefix("/solr")
            key = asked.get("action") or asked.get("terms.fl") or asked.get("file") or path
            reply = table.replies.get(key, 404)
            if key == "CLUSTERSTATUS" and asked.get("collection") not in {"books", "alias"}:
                reply = (400, {"error": {"msg": f"Collection: {asked['collection']} not found"}})
            code, body = reply if isinstance(reply, tuple) else (200, reply)
            if isinstance(body, int):
                code, body = body, "<html>no</html>"
            text = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send(text, code)

    with served_by(Handler) as url:
        table.url = f"{url}/solr"
        yield table
