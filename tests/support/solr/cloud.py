"""A SolrCloud in memory: what it holds, and what was changed.

It answers as Solr 9.10 does, as far as an existing target is asked.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx

from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.solr.client import SolrClient
from support.solr.recorded_solr import SolrInMemory, client_of
from support.solr.states import replica


@dataclass
class Cloud(SolrInMemory):
    """Nodes, collections and config sets."""

    nodes: dict[str, str] = field(default_factory=lambda: {"a:8983_solr": "1", "b:8983_solr": "1"})
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    config_sets: set[str] = field(default_factory=lambda: {"_default"})
    documents: int = 5
    deleted_documents: int = 0
    changed: list[tuple[str, str]] = field(default_factory=list)
    """Action and name of every request that changes something."""
    down: bool = False
    silent: set[str] = field(default_factory=set)
    """Live nodes that do not respond to the one that is asked."""
    authorization: str | None = None
    """What is asked for; another gets HTTP 401."""
    version: str = "9.10.1"
    redirect: bool = False
    probes_open: bool = False
    """Whether what probes of the kubelet ask needs no password, as the Solr Operator sets it up."""
    aliases: dict[str, str] = field(default_factory=dict)
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Asynchronous requests by their ids, as REQUESTSTATUS shows them."""
    overlay: dict[str, Any] = field(default_factory=dict)
    around: Callable[[Callable[[], Any]], Any] = lambda change: change()
    """Called with each function that makes a change."""

    def client(self, access: HttpAuth = NO_AUTH, timeout_seconds: float = 1.0) -> SolrClient:
        urls = ["http://search.team.svc:8983/solr"]
        return client_of(self._answer, urls, timeout_seconds, access)

    def make(self, name: str, config_set: str, state: str = "active") -> None:
        """Put a collection of one shard on the first node."""
        host = next(iter(self.nodes)).partition(":")[0]
        only = replica(f"{name}_shard1_replica_n1", host, state=state, leader="true")
        shards = {"shard1": {"replicas": {"core_node2": only}}}
        self.collections[name] = {"configName": config_set, "shards": shards}

    def end_requests(self, state: str, **response: Any) -> None:
        """Let every asynchronous request be over."""
        ended = {"status": {"state": state, "msg": f"found in {state} tasks"}} | response
        self.requests = dict.fromkeys(self.requests, ended)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("refused")
        if self.redirect:
            return httpx.Response(302, headers={"Location": "http://elsewhere/solr"})
        is_probe = self.probes_open and request.url.path.startswith("/solr/admin/info/")
        if not is_probe and self.authorization not in (None, request.headers.get("Authorization")):
            return httpx.Response(401, text="<html>Authentication failed</html>")
        params = dict(request.url.params)
        what = params.get("action") or request.url.path.removeprefix("/solr")
        if what == "DELETE" and request.url.path == "/solr/admin/configs":
            what = "DELETE CONFIG"
        if request.method == "POST" and not what.endswith("/update"):
            code, body = self.around(lambda: self._change(what, params))
        else:
            code, body = self._read(what, params)
        return httpx.Response(code, text=json.dumps(body))

    def _change(self, what: str, params: dict[str, str]) -> tuple[int, Any]:
        name = params.get("name", "")
        self.changed.append((what, name))
        match what:
            case "RELOAD" | "/trial/config":
                pass
            case "UPLOAD":
                self.config_sets.add(name)
            case "CREATE":
                self.make(name, params["collection.configName"])
            case "RESTORE":
                assert params["collection"] in self.collections
                running = {"state": "running", "msg": "found in running tasks"}
                self.requests[params["async"]] = {"status": running}
            case "DELETE CONFIG":
                self.config_sets.remove(name)
            case "DELETE":
                del self.collections[name]
            case _:
                return self._read(what, params)
        return 200, {"responseHeader": {"status": 0}}

    def _read(self, what: str, params: dict[str, str]) -> tuple[int, Any]:
        wanted = params.get("collection")
        shown = self.collections
        if wanted is not None:
            # As Solr, which leaves out all others and does not know an empty answer.
            known = self.aliases.get(wanted, wanted)
            resolved = (wanted, *self.aliases.get(known, known).split(","))
            shown = {name: state for name, state in self.collections.items() if name in resolved}
        if wanted is not None and not shown:
            return 400, {"error": {"msg": f"Collection: {wanted} not found", "code": 400}}
        cluster = {"live_nodes": list(self.nodes), "collections": shown, "aliases": self.aliases}
        if what == "/admin/info/system" and "nodes" not in params:  # of the node that is asked
            return 200, self._system("1")
        if what.startswith(("/admin/info", "/admin/metrics")):
            assert params["nodes"] == "all"
        answers: dict[str, Callable[[], Any]] = {
            "/admin/info/system": lambda: {
                node: self._system(start)
                for node, start in self.nodes.items()
                if node not in self.silent
            },
            "/admin/metrics": lambda: self._metrics(params["prefix"]),
            "CLUSTERSTATUS": lambda: {"cluster": cluster},
            "REQUESTSTATUS": lambda: self.requests.get(
                params["requestid"],
                {"status": {"state": "notfound", "msg": "Did not find it in any tasks queue"}},
            ),
            "LIST": lambda: {"configSets": sorted(self.config_sets)},
        }
        if what.endswith("/update"):
            return 200, {"responseHeader": {"status": 0}}
        if what.endswith("/config/overlay"):
            return 200, {"overlay": self.overlay}
        if what not in answers:
            return 403, {}
        return 200, answers[what]()

    def _system(self, started: str) -> dict[str, Any]:
        return {
            "lucene": {"solr-spec-version": self.version},
            "jvm": {"memory": {"raw": {"max": 1 << 30}}, "jmx": {"startTime": started}},
        }

    def _metrics(self, prefix: str) -> dict[str, Any]:
        everything = {
            "INDEX.sizeInBytes": 700,
            "SEARCHER.searcher.numDocs": self.documents,
            "SEARCHER.searcher.deletedDocs": self.deleted_documents,
        }
        wanted, kept = prefix.split(","), {}
        for name in self.collections:
            metrics = everything | {"CORE.coreName": f"{name}_shard1_replica_n1"}
            shown = {key: value for key, value in metrics.items() if key in wanted}
            kept[f"solr.core.{name}.shard1.replica_n1"] = shown
        found: dict[str, Any] = {node: {"metrics": {}} for node in self.nodes}
        found[next(iter(self.nodes))] = {"metrics": kept}
        return {"responseHeader": {"status": 0}, **found}
