"""What was made for a benchmark is listed once, without the report."""

from datetime import UTC, datetime

import httpx
import pytest

from solrbench.controller.owned_objects import OwnedKind, OwnedObjects
from solrbench.reasons.end import CleanupReason
from support.servers.api_stub import cluster_of, resources, status

KIND = ("solr.apache.org/v1beta1", "SolrCloud")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("looks", [0, 1])
def test_owned_objects_of_a_definition_that_is_not_there_or_goes_are_none(looks: int) -> None:
    responses = iter([resources("SolrCloud")] * looks)
    client = cluster_of(lambda _: next(responses, status(404)))
    owned = OwnedObjects(client, "search", "one", NOW)
    assert owned.list(OwnedKind(*KIND, CleanupReason.SOLR_CLOUD_NOT_REMOVED)) == []


def test_owned_objects_are_listed_once_without_the_report() -> None:
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        is_list = request.url.path != "/api/v1"
        return httpx.Response(200, json={"items": []}) if is_list else resources("ConfigMap", "Pod")

    owned = OwnedObjects(cluster_of(respond), "search", "one", NOW, "shared")
    for _ in range(2):
        assert owned.list(OwnedKind("v1", "ConfigMap")) == []
    lists = [each for each in requests if each.url.path.endswith("/configmaps")]
    components = "solr,zookeeper,index,load-master,load-worker,companion,export"
    assert [each.url.params["labelSelector"] for each in lists] == [
        f"solrbench.io/benchmark={name},app.kubernetes.io/component in ({components})"
        for name in ("one", "shared")
    ]
    assert all("as=PartialObjectMetadataList" in each.headers["accept"] for each in lists)
