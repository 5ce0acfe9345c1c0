"""Objects of others stay as they are: what the client sends to the API server."""

from typing import Any

import httpx
import pytest

from solrbench.errors import TemporaryError
from support.fakes.api_responses import CORE, body_of, cluster_of, resources, status

OWNER = {"uid": "b1", "controller": True}


class Server:
    """One stored object, or none; notes what is asked of it."""

    def __init__(self, stored: dict[str, Any] | None = None) -> None:
        self.stored = stored
        self.calls: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v1":
            return resources(*CORE)
        if request.method == "GET":
            return status(404) if self.stored is None else httpx.Response(200, json=self.stored)
        self.calls.append(request)
        return httpx.Response(200, json=body_of(request))


def service(uid: str | None = None, *owners: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "shop-zookeeper", "namespace": "search"}
    if uid is not None:
        metadata["uid"] = uid
    if owners:
        metadata["ownerReferences"] = list(owners)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata}


def applied(server: Server, body: dict[str, Any]) -> tuple[str, str | None]:
    """Return whether conflicts are forced, and the uid that is asked for."""
    cluster_of(server).apply(body)
    (call,) = server.calls
    assert call.url.path == "/api/v1/namespaces/search/services/shop-zookeeper"
    assert call.headers["content-type"] == "application/apply-patch+yaml"
    return call.url.params["force"], body_of(call)["metadata"].get("uid")


def test_a_new_object_is_not_forced() -> None:
    assert applied(Server(), service(None, OWNER)) == ("false", None)


def test_our_own_object_is_changed_if_it_is_still_the_same() -> None:
    assert applied(Server(service("s1", OWNER)), service(None, OWNER)) == ("true", "s1")


def test_an_object_without_a_controller_is_applied_as_it_is() -> None:
    assert applied(Server(service("s1")), service()) == ("true", None)


@pytest.mark.parametrize("owners", [[], [OWNER | {"uid": "other"}]])
def test_an_object_of_others_is_not_taken_over(owners: list[dict[str, Any]]) -> None:
    server = Server(service("s1", *owners))
    with pytest.raises(TemporaryError, match="Service shop-zookeeper in") as caught:
        applied(server, service(None, OWNER))
    assert caught.value.reason == "NameTaken"
    assert server.calls == []


def test_a_deletion_names_the_uid() -> None:
    server = Server()
    cluster_of(server).delete("v1", "Service", "search", "shop", uid="s1")
    (call,) = server.calls
    assert body_of(call)["preconditions"] == {"uid": "s1"}
