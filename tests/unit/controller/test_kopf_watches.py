"""Lists and watches that are refused do not end the operator, against kopf itself."""

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any

import kopf
import pytest

from solrbench.controller.kopf_settings import configure, open_session
from solrbench.controller.watches import WatchRetries
from support.servers.in_thread import QuietHandler, in_thread

GROUP = "/apis/solrbench.io/v1alpha1"
KIND = {
    "name": "solrbenchmarks",
    "kind": "SolrBenchmark",
    "singularName": "solrbenchmark",
    "namespaced": True,
    "verbs": ["list", "watch", "patch"],
}
CORE = [
    {"name": name, "kind": kind, "singularName": "", "namespaced": True, "verbs": ["list", "watch"]}
    for name, kind in (("namespaces", "Namespace"), ("events", "Event"))
]
ATTEMPTS = 12
"""More than a request gets before kopf gives up."""


class ApiServer(ThreadingHTTPServer):
    """Knows one kind; lists it in `team-b`, refuses all else in `team-a`.

    Attributes:
        expired: how many lists of `team-b` expire in the middle
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.enough = threading.Event()
        self.refusal = 403
        self.expired = 0

    def respond(self, path: str, query: str) -> tuple[int, dict[str, Any]]:
        if "/namespaces/team-a/" in path:
            self.asked["team-a"] += 1
            if self.asked["team-a"] >= ATTEMPTS and self.asked["team-b"]:
                self.enough.set()
            return self.refusal, {"kind": "Status", "code": self.refusal, "reason": "Refused"}
        if "/namespaces/team-b/" in path:
            return self._list(query)
        versions = [{"groupVersion": "solrbench.io/v1alpha1", "version": "v1alpha1"}]
        group = {"name": "solrbench.io", "versions": versions, "preferredVersion": versions[0]}
        known: dict[str, dict[str, Any]] = {
            "/api": {"versions": ["v1"]},
            "/api/v1": {"resources": CORE},
            "/apis": {"groups": [group]},
            GROUP: {"resources": [KIND]},
        }
        return 200, known.get(path, {})

    def _list(self, query: str) -> tuple[int, dict[str, Any]]:
        if "continue=" in query:
            self.expired -= 1
            return 410, {"kind": "Status", "code": 410, "reason": "Expired"}
        if self.expired:
            return 200, {"metadata": {"resourceVersion": "1", "continue": "rest"}, "items": []}
        self.asked["team-b"] += 1
        return 200, {"metadata": {"resourceVersion": "1"}, "items": []}


class _Handler(QuietHandler):
    server: ApiServer

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        path, _, query = self.path.partition("?")
        status, body = self.server.respond(path, query)
        text = b"" if "watch=true" in self.path and status == 200 else json.dumps(body).encode()
        with suppress(BrokenPipeError):  # at its end kopf drops what it has asked for
            self.send(text, status, Content_Type="application/json")


@pytest.fixture
def api_server() -> Iterator[ApiServer]:
    server = ApiServer()
    with in_thread(server):
        yield server


async def run_operator(api_server: ApiServer) -> None:
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

    @kopf.on.event("solrbench.io", "v1alpha1", "solrbenchmarks", registry=registry)
    def on_event(**_: object) -> None:
        """Make kopf watch the kind."""

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


async def test_other_requests_come_to_an_end() -> None:
    assert list(WatchRetries((1, 2))) == [1, 2]
