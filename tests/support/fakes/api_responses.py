"""An API server that responds as a test says, below the client's HTTP library."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from solrbench.cluster.client import Cluster
from solrbench.cluster.client.connection import ApiConnection

Handler = Callable[[httpx.Request], httpx.Response]

CORE = ("Service", "Pod", "ConfigMap", "Event")


def cluster_of(handler: Handler) -> Cluster:
    """Return a client whose requests a function responds to."""
    transport = httpx.MockTransport(handler)
    return Cluster(ApiConnection(httpx.Client(transport=transport, base_url="https://api.test")))


def resources(*kinds: str, namespaced: bool = True) -> httpx.Response:
    """Return what the API server says about the kinds of a group."""
    found = [{"name": f"{each.lower()}s", "kind": each, "namespaced": namespaced} for each in kinds]
    return httpx.Response(200, json={"resources": found})


def status(code: int, message: str = "no", **more: Any) -> httpx.Response:
    """Return a refusal, as the API server words it."""
    return httpx.Response(code, json={"kind": "Status", "code": code, "message": message, **more})


def body_of(request: httpx.Request) -> dict[str, Any]:
    """Return what a request sends."""
    found: dict[str, Any] = json.loads(request.content)
    return found


def stream_of(*events: dict[str, Any]) -> httpx.Response:
    """Return the response to a watch: one line for each event."""

    def lines() -> Iterator[bytes]:
        for each in events:
            text = json.dumps(each).encode() + b"\n"
            yield text[:10]  # a line need not come in one piece
            yield text[10:]

    return httpx.Response(200, content=lines())
