"""Watching, with an API server that responds as each test says."""

from typing import Any

import httpx
import pytest

from solrbench.cluster.client import BENCHMARKS, Cluster, ExpiredError, ForbiddenError
from solrbench.errors import TemporaryError
from support.cluster.benchmarks import small
from support.servers.api_stub import cluster_of, resources, status, stream_of

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


def watched(response: httpx.Response, queries: list[dict[str, str]] | None = None) -> Cluster:
    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.path == f"/apis/{BENCHMARKS[0]}":
            return resources(BENCHMARKS[1])
        if queries is not None:
            queries.append(dict(request.url.params))
        return response

    return cluster_of(respond)


def watch(response: httpx.Response, queries: list[dict[str, str]] | None = None) -> list[Any]:
    """Return the versions that were seen."""
    return [
        None if body is None else str(body["metadata"]["resourceVersion"])
        for body in watched(response, queries).watch(dict(KNOWN), 3)
    ]


def test_changes_come_until_the_server_ends_the_watch() -> None:
    queries: list[dict[str, str]] = []
    response = stream_of(event("MODIFIED", "8"), event("MODIFIED", "9"))
    assert watch(response, queries) == ["8", "9"]
    assert queries == [
        {
            "fieldSelector": "metadata.name=one",
            "resourceVersion": "7",
            "timeoutSeconds": "3",
            "watch": "true",
        }
    ]


def test_an_object_that_is_gone_is_none() -> None:
    assert watch(stream_of(event("DELETED", "8"))) == [None]


@pytest.mark.parametrize("inside", [True, False])
def test_a_version_that_is_too_old_is_expired(inside: bool) -> None:
    old = {"type": "ERROR", "object": failure(410, "Expired")}
    with pytest.raises(ExpiredError):
        watch(stream_of(old) if inside else status(410))


def test_a_watch_that_is_forbidden_has_an_error_of_its_own() -> None:
    with pytest.raises(ForbiddenError) as caught:
        watch(status(403))
    assert caught.value.reason == "ApiRefused"


def test_other_failures_may_pass() -> None:
    with pytest.raises(TemporaryError) as caught:
        watch(status(500))
    assert caught.value.reason == "ApiUnreachable"


def test_a_lost_connection_is_an_error_of_ours() -> None:
    def break_off() -> Any:
        yield b'{"type": "MODI'
        raise httpx.ReadError("connection reset")

    with pytest.raises(TemporaryError, match="connection reset"):
        watch(httpx.Response(200, content=break_off()))
