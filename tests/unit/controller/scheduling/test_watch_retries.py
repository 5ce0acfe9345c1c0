"""A namespace that may not be watched does not end the operator, against kopf itself."""

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import kopf
import pytest

from solrbench.controller.handlers.kopf_settings import configure
from solrbench.controller.scheduling.watch_retries import WatchRetries

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
    """Knows one kind; lists it in `team-b`, refuses all else in `team-a`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.enough = threading.Event()

    def respond(self, path: str) -> tuple[int, dict[str, Any]]:
        if "/namespaces/team-a/" in path:
            self.asked["team-a"] += 1
            if self.asked["team-a"] >= ATTEMPTS and self.asked["team-b"]:
                self.enough.set()
            return 403, {"kind": "Status", "code": 403, "reason": "Forbidden"}
        if "/namespaces/team-b/" in path:
            self.asked["team-b"] += 1
            return 200, {"metadata": {"resourceVersion": "1"}, "items": []}
        versions = [{"groupVersion": "solrbench.io/v1alpha1", "version": "v1alpha1"}]
        group = {"name": "solrbench.io", "versions": versions, "preferredVersion": versions[0]}
        known: dict[str, dict[str, Any]] = {
            "/api": {"versions": ["v1"]},
            "/api/v1": {"resources": CORE},
            "/apis": {"groups": [group]},
            GROUP: {"resources": [KIND]},
        }
        return 200, known.get(path, {})


class _Handler(BaseHTTPRequestHandler):
    server: ApiServer

    def do_GET(self) -> None:
        status, body = self.server.respond(self.path.partition("?")[0])
        text = b"" if "watch=true" in self.path and status == 200 else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def api_server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
    def log_in(**_: object) -> kopf.ConnectionInfo:
        return kopf.ConnectionInfo(server=f"http://127.0.0.1:{api_server.server_port}")

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


def test_a_refused_namespace_rests_and_the_others_go_on(
    api_server: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="solrbench"):
        asyncio.run(run_operator(api_server))
    assert api_server.asked["team-a"] >= ATTEMPTS
    assert api_server.asked["team-b"] >= 1
    (shown,) = {each.getMessage() for each in caplog.records if each.name == "solrbench"}
    assert "team-a" in shown
    assert "take it out of watchNamespaces" in shown


def test_other_requests_come_to_an_end() -> None:
    async def pauses() -> list[float]:
        return list(WatchRetries((1, 2)))

    assert asyncio.run(pauses()) == [1, 2]
