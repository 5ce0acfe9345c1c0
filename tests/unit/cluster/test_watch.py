"""Watching, with an API server on loopback that answers as each test says."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from kubernetes.client import ApiClient, Configuration
from kubernetes.dynamic import DynamicClient

from solrbench.cluster.client import BENCHMARKS, Cluster, ExpiredError, ForbiddenError
from solrbench.errors import TemporaryError
from support.cluster.benchmarks import small

GROUP, VERSION = BENCHMARKS[0].split("/")
DISCOVERY: dict[str, Any] = {
    "/version": {"gitVersion": "v1.31.0"},
    "/apis": {
        "kind": "APIGroupList",
        "groups": [
            {
                "name": GROUP,
                "versions": [{"groupVersion": BENCHMARKS[0], "version": VERSION}],
                "preferredVersion": {"groupVersion": BENCHMARKS[0], "version": VERSION},
            }
        ],
    },
    f"/apis/{BENCHMARKS[0]}": {
        "kind": "APIResourceList",
        "groupVersion": BENCHMARKS[0],
        "resources": [
            {
                "name": "solrbenchmarks",
                "singularName": "solrbenchmark",
                "namespaced": True,
                "kind": BENCHMARKS[1],
                "verbs": ["get", "list", "watch"],
            }
        ],
    },
}
KNOWN = small("one") | {
    "metadata": {"name": "one", "namespace": "search", "resourceVersion": "7"},
}
Event = dict[str, Any]


def event(kind: str, version: str) -> Event:
    return {
        "type": kind,
        "object": KNOWN | {"metadata": KNOWN["metadata"] | {"resourceVersion": version}},
    }


def failure(code: int, reason: str) -> Event:
    return {"kind": "Status", "code": code, "reason": reason, "message": "no"}


class ApiServer:
    """Answers one watch with `events`, or with HTTP `code`; keeps what it was asked."""

    def __init__(self, *events: Event, code: int = 200) -> None:
        self.events = events
        self.code = code
        self.queries: list[dict[str, str]] = []


@contextmanager
def cluster_of(server: ApiServer, cache: Path) -> Iterator[Cluster]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found = DISCOVERY.get(parts.path)
            if found is not None:
                self.say(200, json.dumps(found))
            elif parts.path == f"/apis/{BENCHMARKS[0]}/namespaces/search/solrbenchmarks":
                server.queries.append({k: v[0] for k, v in parse_qs(parts.query).items()})
                self.say(server.code, "".join(json.dumps(each) + "\n" for each in server.events))
            else:
                self.say(404, "{}")

        def say(self, code: int, body: str) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    settings = Configuration(host=f"http://127.0.0.1:{http.server_port}")
    client = ApiClient(settings)
    try:
        yield Cluster(DynamicClient(client, cache_file=str(cache / "discovery.json")))
    finally:
        client.rest_client.pool_manager.clear()
        http.shutdown()
        http.server_close()
        thread.join()


def watch(server: ApiServer, cache: Path) -> list[str | None]:
    """Return the versions that were seen."""
    with cluster_of(server, cache) as cluster:
        return [
            None if body is None else str(body["metadata"]["resourceVersion"])
            for body in cluster.watch(dict(KNOWN), 3)
        ]


def test_changes_come_until_the_server_ends_the_watch(tmp_path: Path) -> None:
    server = ApiServer(event("MODIFIED", "8"), event("MODIFIED", "9"))
    assert watch(server, tmp_path) == ["8", "9"]
    assert server.queries == [
        {
            "fieldSelector": "metadata.name=one",
            "resourceVersion": "7",
            "timeoutSeconds": "3",
            "watch": "true",
        }
    ]


def test_an_object_that_is_gone_is_none(tmp_path: Path) -> None:
    assert watch(ApiServer(event("DELETED", "8")), tmp_path) == [None]


@pytest.mark.parametrize(
    "server",
    [
        ApiServer({"type": "ERROR", "object": failure(410, "Expired")}),
        ApiServer(failure(410, "Expired"), code=410),
    ],
)
def test_a_version_that_is_too_old_is_expired(server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ExpiredError):
        watch(server, tmp_path)


def test_a_watch_that_is_forbidden_has_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError) as caught:
        watch(ApiServer(failure(403, "Forbidden"), code=403), tmp_path)
    assert caught.value.reason == "ApiRefused"


def test_other_failures_may_pass(tmp_path: Path) -> None:
    with pytest.raises(TemporaryError) as caught:
        watch(ApiServer(failure(500, "InternalError"), code=500), tmp_path)
    assert caught.value.reason == "ApiUnreachable"
