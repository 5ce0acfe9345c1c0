"""Objects of others stay as they are: what the client asks of the API server."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import api_exception

from solrbench.cluster.client import Cluster
from solrbench.errors import TemporaryError

OWNER = {"uid": "b1", "controller": True}


class Server:
    """One stored object, or none; notes what is asked of it."""

    def __init__(self, stored: dict[str, Any] | None = None) -> None:
        self.stored = stored
        self.calls: list[dict[str, Any]] = []
        self.resources = SimpleNamespace(get=lambda **_: self)

    def get(self, **_: Any) -> Any:
        if self.stored is None:
            error = ApiException(status=404, reason="no")
            error.body = "{}"
            raise api_exception(error)
        return SimpleNamespace(to_dict=lambda: self.stored)

    def server_side_apply(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        return SimpleNamespace(to_dict=lambda: arguments["body"])

    def delete(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        return SimpleNamespace(to_dict=dict)


def service(uid: str | None = None, *owners: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "shop-zookeeper", "namespace": "search"}
    if uid is not None:
        metadata["uid"] = uid
    if owners:
        metadata["ownerReferences"] = list(owners)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata}


def applied(server: Server, body: dict[str, Any]) -> tuple[bool, str | None]:
    """Return whether conflicts are forced, and the uid that is asked for."""
    Cluster(cast(DynamicClient, server)).apply(body)
    (call,) = server.calls
    return call["force_conflicts"], call["body"]["metadata"].get("uid")


def test_a_new_object_is_not_forced() -> None:
    assert applied(Server(), service(None, OWNER)) == (False, None)


def test_our_own_object_is_changed_if_it_is_still_the_same() -> None:
    assert applied(Server(service("s1", OWNER)), service(None, OWNER)) == (True, "s1")


def test_an_object_without_a_controller_is_applied_as_it_is() -> None:
    assert applied(Server(service("s1")), service()) == (True, None)


@pytest.mark.parametrize("owners", [[], [OWNER | {"uid": "other"}]])
def test_an_object_of_others_is_not_taken_over(owners: list[dict[str, Any]]) -> None:
    server = Server(service("s1", *owners))
    with pytest.raises(TemporaryError, match="Service shop-zookeeper in") as caught:
        applied(server, service(None, OWNER))
    assert caught.value.reason == "NameTaken"
    assert server.calls == []


def test_a_deletion_names_the_uid() -> None:
    server = Server()
    Cluster(cast(DynamicClient, server)).delete("v1", "Service", "search", "shop", uid="s1")
    (call,) = server.calls
    assert call["body"]["preconditions"] == {"uid": "s1"}
