"""Lists and watches that are refused do not end the operator, against kopf itself."""

import asyncio
import json
import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import kopf
import pytest

from solrbench.controller.kopf_settings import (
    LIST_CHUNK,
    PART_BYTES,
    WatchRetries,
    configure,
    open_session,
)
from solrbench.kube.reader import METADATA_OF_EVENTS, METADATA_ONLY
from support.servers.in_thread import QuietHandler, in_thread

# At its end kopf drops what it has asked for.
pytestmark = pytest.mark.filterwarnings("ignore:Unclosed connection:ResourceWarning")

GROUP = "/apis/solrbench.io/v1alpha1"
SERVED: dict[str, Any] = {"namespaced": True, "verbs": ["list", "watch", "patch"]}
KINDS = [
    SERVED | {"name": f"{kind.lower()}s", "kind": kind, "singularName": kind.lower()}
    for kind in ("SolrBenchmark", "SolrBenchmarkSweep")
]
CORE = [
    {"name": name, "kind": kind, "singularName": "", "namespaced": True, "verbs": ["list", "watch"]}
    for name, kind in (("namespaces", "Namespace"), ("events", "Event"))
]
ATTEMPTS = 12
"""More than a request gets before kopf gives up."""


class ApiServer(ThreadingHTTPServer):
    """Lists two kinds in `team-b`, refuses all else in `team-a`.

    Attributes:
        expired: how many lists of `team-b` expire in the middle
        accepted: what was asked of each kind in `team-b`
        is_done: whether enough was asked
        benchmarks: in the namespace
        limits: how many benchmarks were asked for at once, and whether as the rest of a list
        sweeps: in the namespace, as metadata alone is listed: without kinds, null for none
        event: what each watch of `team-b` says, as text
        fields: the text of `managedFields` of benchmarks that are listed with them
        seen: names of what a handler was called with
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.enough = threading.Event()
        self.refusal = 403
        self.expired = 0
        self.accepted: dict[str, set[str]] = defaultdict(set)
        self.is_done: Callable[[], bool] = lambda: True
        self.benchmarks: list[dict[str, Any]] = []
        self.limits: list[tuple[int, bool]] = []
        self.sweeps: list[dict[str, Any]] | None = None
        self.event = b""
        self.fields = b"[]"
        self.seen: set[str | None] = set()

    def respond(self, path: str, query: str) -> tuple[int, dict[str, Any]]:
        if "/namespaces/team-a/" in path:
            self.asked["team-a"] += 1
            if self.asked["team-a"] >= ATTEMPTS and self.asked["team-b"] and self.is_done():
                self.enough.set()
            return self.refusal, {"kind": "Status", "code": self.refusal, "reason": "Refused"}
        if path.endswith("/namespaces/team-b/solrbenchmarksweeps"):
            return 200, {"metadata": {"resourceVersion": "1"}, "items": self.sweeps}
        if "/namespaces/team-b/" in path:
            return self._list(query)
        versions = [{"groupVersion": "solrbench.io/v1alpha1", "version": "v1alpha1"}]
        group = {"name": "solrbench.io", "versions": versions, "preferredVersion": versions[0]}
        known: dict[str, dict[str, Any]] = {
            "/api": {"versions": ["v1"]},
            "/api/v1": {"resources": CORE},
            "/apis": {"groups": [group]},
            GROUP: {"resources": KINDS},
        }
        return 200, known.get(path, {})

    def _list(self, query: str) -> tuple[int, dict[str, Any]]:
        if "continue=rest" in query:
            self.expired -= 1
            return 410, {"kind": "Status", "code": 410, "reason": "Expired"}
        if self.expired:
            return 200, {"metadata": {"resourceVersion": "1", "continue": "rest"}, "items": []}
        self.asked["team-b"] += 1
        asked = {key: int(value) for key, value in parse_qsl(query) if value.isdecimal()}
        if not asked.get("limit"):
            return 200, {}
        first, limit = asked.get("continue", 0), asked["limit"]
        self.limits.append((limit, "continue" in asked))
        metadata = {"resourceVersion": "1"}
        if first + limit < len(self.benchmarks):
            metadata["continue"] = str(first + limit)
        return 200, {"metadata": metadata, "items": self.benchmarks[first : first + limit]}


class _Handler(QuietHandler):
    server: ApiServer

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        path, _, query = self.path.partition("?")
        if "/namespaces/team-b/" in path:
            self.server.accepted[path.rpartition("/")[2]].add(self.headers["Accept"])
        status, body = self.server.respond(path, query)
        said = json.dumps(body, separators=(",", ":"))  # as the API server writes it
        text = said.encode().replace(b'"DEEP"', self.server.fields)
        if "watch=true" in self.path and status == 200:
            text = self.server.event
        with suppress(BrokenPipeError):  # at its end kopf drops what it has asked for
            self.send(text, status, Content_Type="application/json")


@pytest.fixture
def api_server() -> Iterator[ApiServer]:
    server = ApiServer()
    with in_thread(server):
        yield server


async def run_operator(api_server: ApiServer, *more_kinds: str) -> None:
    """Run kopf until the refused namespace was asked often, or kopf ends."""
    registry = kopf.OperatorRegistry()

    @kopf.on.startup(registry=registry)
    def short_pauses(settings: kopf.OperatorSettings, **_: object) -> None:
        configure(settings)
        assert isinstance(settings.networking.error_backoffs, WatchRetries)
        settings.networking.error_backoffs = WatchRetries((0.001, 0.001), watch=0.001)
        settings.watching.reconnect_backoff = 0.01

    @kopf.on.login(registry=registry)
    async def log_in(**_: object) -> kopf.AiohttpSession:
        url = f"http://127.0.0.1:{api_server.server_port}"
        return open_session(kopf.ConnectionInfo(server=url))

    for kind in ("solrbenchmarks", *more_kinds):

        @kopf.on.event("solrbench.io", "v1alpha1", kind, registry=registry, id=kind)
        def on_event(name: str | None, **_: object) -> None:
            api_server.seen.add(name)

    stop = asyncio.Event()
    operator = asyncio.create_task(
        kopf.operator(
            registry=registry, standalone=True, namespaces=("team-a", "team-b"), stop_flag=stop
        )
    )
    enough = asyncio.create_task(asyncio.to_thread(api_server.enough.wait, 20))
    await asyncio.wait({operator, enough}, return_when=asyncio.FIRST_COMPLETED)
    ended = operator.done()
    stop.set()
    api_server.enough.set()
    await asyncio.gather(operator, enough)
    assert not ended


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_refused_namespace_rests_and_the_others_go_on(
    status: int, api_server: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    api_server.refusal = status
    with caplog.at_level(logging.ERROR, logger="solrbench"):
        asyncio.run(run_operator(api_server))
    assert api_server.asked["team-a"] >= ATTEMPTS
    assert api_server.asked["team-b"] >= 1
    (shown,) = {each.getMessage() for each in caplog.records if each.name == "solrbench"}
    assert "team-a" in shown
    assert "take it out of watchNamespaces" in shown


def test_a_list_that_expires_is_begun_anew(api_server: ApiServer) -> None:
    api_server.expired = 2
    asyncio.run(run_operator(api_server))
    assert api_server.expired == 0
    assert api_server.asked["team-b"] >= 1


@pytest.mark.parametrize("names", [{"trial"}, set()])
def test_of_sweeps_the_metadata_alone_is_asked_for(api_server: ApiServer, names: set[str]) -> None:
    of_sweeps = api_server.accepted["solrbenchmarksweeps"]
    found = [named(name) for name in names]
    api_server.sweeps = found or None
    api_server.is_done = lambda: len(of_sweeps) > 1 and api_server.seen == names
    asyncio.run(run_operator(api_server, "solrbenchmarksweeps"))
    assert of_sweeps == {METADATA_ONLY, METADATA_OF_EVENTS}
    assert api_server.accepted["solrbenchmarks"].isdisjoint(of_sweeps)
    assert api_server.seen == names


def named(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "team-b", "uid": name} | metadata}


def test_large_benchmarks_are_listed_few_at_once(api_server: ApiServer) -> None:
    keys: dict[str, object] = {f"f:{number}": {} for number in range(20_000)}
    fields = {"fieldsV1": keys}
    large = [named(f"large-{number}", managedFields=[fields]) for number in range(12)]
    assert PART_BYTES / 12 < len(json.dumps(large[0], separators=(",", ":"))) < PART_BYTES / 5
    api_server.benchmarks = [*large, *(named(f"small-{number}") for number in range(60))]
    names = {each["metadata"]["name"] for each in api_server.benchmarks}
    api_server.is_done = lambda: api_server.seen == names
    asyncio.run(run_operator(api_server))
    # The rest goes on as before, until parts are so small that more fit in one.
    first, rest = [(LIST_CHUNK, False), (5, False)], [(5, True)] * 3 + [(LIST_CHUNK, True)] * 2
    assert api_server.limits[:7] == first + rest


def test_managed_fields_are_not_parsed_in_lists_nor_watches(api_server: ApiServer) -> None:
    api_server.fields = b'[{"fieldsV1":' + b'{"f:]":' * 5000 + b"{}" + b"}" * 5000 + b"}]"
    listed, watched = (named(name, managedFields="DEEP") for name in ("listed", "watched"))
    api_server.benchmarks = [listed]
    event = json.dumps({"type": "MODIFIED", "object": watched}, separators=(",", ":")).encode()
    api_server.event = event.replace(b'"DEEP"', api_server.fields) + b"\n"
    api_server.is_done = lambda: api_server.seen == {"listed", "watched"}
    asyncio.run(run_operator(api_server))
    assert api_server.seen == {"listed", "watched"}


def test_one_object_is_listed_however_large(api_server: ApiServer) -> None:
    api_server.benchmarks = [named("huge", labels={"text": "x" * PART_BYTES})]
    api_server.is_done = lambda: api_server.seen == {"huge"}
    asyncio.run(run_operator(api_server))
    assert api_server.limits[:3] == [(LIST_CHUNK, False), (5, False), (1, False)]


async def test_other_requests_come_to_an_end() -> None:
    assert list(WatchRetries((1, 2))) == [1, 2]
