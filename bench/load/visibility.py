"""The time until replicas find a document, beside a second look at the same documents.

A relay before Solr notes when it answered the update of a marked document, and a thread for each
core lists the marked documents that the core finds, again and again. Neither shares a line with the
product's own probe. One node has all replicas: NRT, TLOG with its leader, and PULL, each with three
ways to commit.
"""

import json
import re
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

from bench.harness.product import product
from bench.harness.table import Row, at_most
from bench.servers.real_solr import RealSolr, real_solr
from bench.servers.running import Server, free_port
from solrbench.contract.server_document import VisibilityResult

_PREFIX = "solrbench-visibility-"
_MARKED = re.compile(rb'"id": ?"(' + _PREFIX.encode() + rb'[^"]+)"')
_QUANTILES = (0.1, 0.5, 0.9)
_MAX_MILLISECONDS = 20.0
_PAUSE_SECONDS = 0.003
_REPLICAS = {
    "NRT": {"nrtReplicas": 2},
    "TLOG": {"nrtReplicas": 0, "tlogReplicas": 2},
    "PULL": {"nrtReplicas": 0, "tlogReplicas": 1, "pullReplicas": 1},
}
_COMMITS: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]] = {
    "commitWithin 300 ms": (
        {"autoSoftCommit.maxTime": -1, "autoCommit.maxTime": 2000},
        {"commitWithinMilliseconds": 300},
    ),
    "soft commits of 1 s": ({"autoSoftCommit.maxTime": 1000, "autoCommit.maxTime": 3000}, {}),
    "commits of 2 s": ({"autoSoftCommit.maxTime": -1, "autoCommit.maxTime": 2000}, {}),
}
"""Settings of the collection, and of the probe."""


@dataclass(eq=False)
class _Watch:
    """When Solr accepted marked documents, and when each core was seen to find them."""

    accepted: dict[str, float] = field(default_factory=dict)
    found: dict[str, dict[str, float]] = field(default_factory=dict)
    """By core."""
    ended: threading.Event = field(default_factory=threading.Event)

    def relay(self, listener: socket.socket, port: int) -> None:
        """Pass connections on to a port, each in a thread of its own."""
        while not self.ended.is_set():
            with suppress(TimeoutError):
                client = listener.accept()[0]
                threading.Thread(target=self._pass_on, args=(client, port), daemon=True).start()

    def _pass_on(self, client: socket.socket, port: int) -> None:
        marked = ""
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            while True:
                for side in select.select([client, server], [], [])[0]:
                    chunk = side.recv(1 << 16)
                    if not chunk:
                        return
                    if side is server and marked:
                        self.accepted[marked], marked = time.monotonic(), ""
                    elif side is client and (match := _MARKED.search(chunk)):
                        marked = match[1].decode()
                    (client if side is server else server).sendall(chunk)

    def follow(self, core: str) -> None:
        """List what a core finds, until the end."""
        parts, found = urlsplit(core), self.found.setdefault(core, {})
        query = quote(f"{{!prefix f=id cache=false}}{_PREFIX}")
        path = f"{parts.path}/select?q={query}&fl=id&rows=10000&distrib=false&wt=json"
        missed = time.monotonic()
        with closing(HTTPConnection(parts.hostname or "", parts.port)) as http:
            while not self.ended.wait(_PAUSE_SECONDS):
                sent = time.monotonic()
                http.request("GET", path)
                documents = json.loads(http.getresponse().read())["response"]["docs"]
                middle = (missed + time.monotonic()) / 2
                for each in documents:
                    found.setdefault(each["id"], middle)
                missed = sent

    def milliseconds(self, cores: list[str]) -> list[float]:
        """Return the times from acceptance until cores found the documents."""
        return [
            1000 * (seen - self.accepted[document])
            for core in cores
            for document, seen in self.found[core].items()
            if document in self.accepted
        ]


def visibility(folder: Path, seconds: int) -> list[Row]:
    """Measure each setting in a step of so many seconds, with a document each second."""
    rows = []
    with real_solr(folder) as solr:
        for commit, (settings, probe) in _COMMITS.items():
            solr.create("settings", 1)
            given = {f"updateHandler.{key}": to for key, to in settings.items()}
            body = {"set-property": given | {"updateHandler.autoCommit.openSearcher": True}}
            solr.post("/settings/config", body)
            solr.delete("settings")
            for kind, replicas in _REPLICAS.items():
                results, watched = _measure(solr, folder, seconds, replicas, probe)
                rows += [
                    _row(f"{kind}, {commit}", each, watched[each.replica_type])
                    for each in results
                    if each.replica_type == kind
                ]
    return rows


def _measure(
    solr: RealSolr,
    folder: Path,
    seconds: int,
    replicas: Mapping[str, int],
    probe: Mapping[str, int],
) -> tuple[list[VisibilityResult], dict[str, list[float]]]:
    """Return what the product found of each replica type, and what was seen beside it."""
    solr.create("books", 1, replicas)
    found = solr.ask("/admin/collections", {"action": "CLUSTERSTATUS", "collection": "books"})
    (shard,) = found["cluster"]["collections"]["books"]["shards"].values()
    cores: dict[str, list[str]] = {}
    for each in shard["replicas"].values():
        cores.setdefault(each["type"], []).append(f"{each['base_url']}/{each['core']}")
    step = {"name": "step", "users": 2, "durationSeconds": seconds}
    step["thinkTime"] = {"constantMilliseconds": 20}
    with (
        _watched(solr, [core for group in cores.values() for core in group]) as (watch, server),
        product(server, folder, step, visibility={"intervalSeconds": 1, **probe}) as running,
    ):
        (document,) = running.documents(seconds + 90)
    solr.delete("books")
    return document.visibility, {kind: watch.milliseconds(group) for kind, group in cores.items()}


@contextmanager
def _watched(solr: RealSolr, cores: list[str]) -> Iterator[tuple[_Watch, Server]]:
    watch, port = _Watch(), free_port()
    with socket.create_server(("127.0.0.1", port)) as listener, ExitStack() as stack:
        listener.settimeout(0.2)
        threads = [threading.Thread(target=watch.relay, args=(listener, solr.port))]
        threads += [threading.Thread(target=watch.follow, args=(core,)) for core in cores]
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
        stack.callback(watch.ended.set)
        yield watch, Server(port, solr.pid)


def _row(what: str, ours: VisibilityResult, seen: list[float]) -> Row:
    if not ours.milliseconds or not seen:
        return Row(what, "", "", None, ours.problem or "no document was found")
    sides = [np.quantile(each, _QUANTILES) for each in (ours.milliseconds, seen)]
    off = float(np.max(np.abs(sides[0] - sides[1])))
    medians = f"medians {sides[0][1]:.0f} and {sides[1][1]:.0f} ms"
    counts = f"{ours.documents} and {len(seen)} documents, {ours.not_found} not found"
    return at_most(f"found: {what}", off, _MAX_MILLISECONDS, "{:.1f} ms", f"{medians}, {counts}")
