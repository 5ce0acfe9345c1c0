"""Servers on loopback that fail on demand: one like Solr, one like a file server."""

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from support.servers.in_thread import QuietHandler, served_by
from support.solr.states import replica

Answer = tuple[int, dict[str, Any]]
OK: Answer = (200, {"responseHeader": {"status": 0}})
RESET: Answer = (0, {})


@dataclass
class FakeSolr:
    """What the node knows, what it was sent, and what it answers next."""

    collection: dict[str, Any]
    """State of the collection; `{url}` in it becomes the node's own address."""
    url: str = ""
    faults: list[Answer] = field(default_factory=list)
    """Answers given to the next updates instead of `OK`."""
    status_faults: list[int] = field(default_factory=list)
    updates: list[tuple[str, dict[str, str], list[dict[str, Any]]]] = field(default_factory=list)
    accepted: list[dict[str, Any]] = field(default_factory=list)
    authorization: str | None = None
    """Header without which every request gets HTTP 401; counted in `refused`."""
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ids(self) -> list[str]:
        """Ids that were accepted, sorted."""
        return sorted(document["id"] for document in self.accepted)

    def cluster_status(self) -> dict[str, Any]:
        text = json.dumps({"cluster": {"collections": {"books": self.collection}}})
        return dict(json.loads(text.replace("{url}", self.url)))

    def update(self, core: str, params: dict[str, str], body: bytes) -> Answer:
        with self.lock:
            documents = json.loads(body)
            self.updates.append((core, params, documents))
            answer = self.faults.pop(0) if self.faults else OK
            if answer == OK:
                self.accepted += documents
            return answer


@contextmanager
def fake_solr(collection: dict[str, Any]) -> Iterator[FakeSolr]:
    node = FakeSolr(collection)

    class Handler(_Quiet):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            if not self.may_come_in():
                return
            with node.lock:
                code = node.status_faults.pop(0) if node.status_faults else 200
            self.send(json.dumps(node.cluster_status()).encode(), code)

        def do_POST(self) -> None:  # noqa: N802 - its name in the base class
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not self.may_come_in():
                return
            params = {name: values[0] for name, values in parse_qs(parts.query).items()}
            code, answer = node.update(parts.path.split("/")[2], params, body)
            if code:
                self.send(json.dumps(answer).encode(), code)
            else:
                self.close_connection = True

        def may_come_in(self) -> bool:
            if node.authorization in (None, self.headers.get("Authorization")):
                return True
            node.refused += 1
            self.send(b"<html>Authentication failed</html>", 401)
            return False

    with served_by(Handler) as url:
        node.url = f"{url}/solr"
        yield node


@dataclass
class RangeServer:
    """A file that is served in pieces: connections break after `cuts` bytes of their body."""

    body: bytes
    etag: str = '"1"'
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    """Where the next connections break."""
    headers: list[dict[str, str]] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> list[str | None]:
        """The range of each request."""
        return [each.get("Range") for each in self.headers]


@contextmanager
def range_server(served: RangeServer) -> Iterator[str]:
    class Handler(_Quiet):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            served.headers.append(dict(self.headers))
            asked = self.headers.get("Range")
            is_same = self.headers.get("If-Range") == served.etag
            begin = int(asked[6:-1]) if asked and served.ranges and is_same else 0
            headers = {"ETag": served.etag} if served.etag else {}
            if begin:
                headers["Content-Range"] = f"bytes {begin}-/{len(served.body)}"
            rest = served.body[begin:]
            cut = served.cuts.pop(0) if served.cuts else len(rest)
            code = 206 if begin else 200
            self.send(rest[:cut], code, length=len(rest), **headers, **served.extra)

    with served_by(Handler) as url:
        yield url


@contextmanager
def file_server(
    files: dict[str, bytes], script: list[tuple[int, str]], paths: list[str] | None = None
) -> Iterator[str]:
    """Serve `files` by path; `script` holds (code, Location) to answer first.

    Code 0 closes the connection halfway through the body. `paths` gets the path of each request.
    """

    class Handler(_Quiet):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            if paths is not None:
                paths.append(self.path)
            code, location = script.pop(0) if script else (200, "")
            body = files.get(urlsplit(self.path).path)
            if code == 200:
                self.send(body or b"", 404 if body is None else 200)
            elif code == 0:
                self.send((body or b"")[:-5], length=len(body or b""))
            else:
                self.send(b"", code, Location=location)

    with served_by(Handler) as url:
        yield url


class _Quiet(QuietHandler):
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = 5
    disable_nagle_algorithm = True


def two_shards() -> dict[str, Any]:
    """Return the state of a collection whose second range begins at zero."""
    return {
        "router": {"name": "compositeId"},
        "shards": {
            "shard1": shard("80000000-ffffffff", "books_shard1"),
            "shard2": shard("0-7fffffff", "books_shard2"),
        },
    }


def shard(range_: str | None, core: str, *, leader: bool = True) -> dict[str, Any]:
    other = replica(f"{core}_other", base_url="{url}")
    first = replica(core, base_url="{url}", **({"leader": "true"} if leader else {}))
    return {"range": range_, "state": "active", "replicas": {"r1": other, "r2": first}}


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)
