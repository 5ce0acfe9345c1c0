"""Objects of others stay as they are: what the client sends to the API server."""

from typing import Any

import httpx
import pytest

from solrbench.errors import TemporaryError
from support.servers.api_stub import ApiStub, body_of, cluster_of

OWNER = {"uid": "b1", "controller": True}


def service(uid: str | None = None, *owners: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "shop-zookeeper", "namespace": "search"}
    if uid is not None:
        metadata["uid"] = uid
    if owners:
        metadata["ownerReferences"] = list(owners)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata}


def changes(api: ApiStub) -> list[httpx.Request]:
    return [each for each in api.requests if each.method != "GET"]


def applied(api: ApiStub, body: dict[str, Any]) -> tuple[str, str | None]:
    """Return whether conflicts are forced, and the uid that is asked for."""
    cluster_of(api).apply(body)
    (call,) = changes(api)
    assert call.url.path == "/api/v1/namespaces/search/services/shop-zookeeper"
    assert call.headers["content-type"] == "application/apply-patch+yaml"
    return call.url.params["force"], body_of(call)["metadata"].get("uid")


def test_a_new_object_is_not_forced() -> None:
    assert applied(ApiStub(), service(None, OWNER)) == ("false", None)


def test_our_own_object_is_changed_if_it_is_still_the_same() -> None:
    assert applied(ApiStub(service("s1", OWNER)), service(None, OWNER)) == ("true", "s1")


def test_an_object_without_a_controller_is_applied_as_it_is() -> None:
    assert applied(ApiStub(service("s1")), service()) == ("true", None)


@pytest.mark.parametrize("owners", [[], [OWNER | {"uid": "other"}]])
def test_an_object_of_others_is_not_taken_over(owners: list[dict[str, Any]]) -> None:
    api = ApiStub(service("s1", *owners))
    with pytest.raises(TemporaryError, match="Service shop-zookeeper in") as caught:
        applied(api, service(None, OWNER))
    assert caught.value.reason == "NameTaken"
    assert changes(api) == []


def test_a_deletion_names_the_uid() -> None:
    api = ApiStub()
    cluster_of(api).delete("v1", "Service", "search", "shop", uid="s1")
    (call,) = changes(api)
    assert body_of(call)["preconditions"] == {"uid": "s1"}
