"""What sources of readings say of a target that does not respond."""

from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.telemetry.sources import SolrSource, TelemetrySource, UpdateThreadSource
from support.solr.solr_metrics import SOLR_10, solr_9_jvm, solr_9_node

URL = "http://a:8983/solr"


def access_to(**responses: list[httpx.Response | httpx.ReadError]) -> Any:
    """Return access to nodes that respond so, one request after another, each by its host."""

    def respond(request: httpx.Request) -> httpx.Response:
        left = responses[request.url.host]
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, httpx.ReadError):
            raise found
        return found

    def open_client(_seconds: float) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(respond))

    return lambda: SimpleNamespace(open_client=open_client)


LOST = access_to(a=[httpx.ReadError("")])


@pytest.mark.parametrize(
    "source", [SolrSource([URL], "books", LOST), UpdateThreadSource([URL], LOST)]
)
def test_an_error_without_words_is_named(source: TelemetrySource) -> None:
    assert source.read(full=True) == []
    assert str(source.missing()).endswith(f" {URL}: ReadError")


def test_of_solr_10_the_node_that_does_not_respond_is_named_and_the_others_are_read() -> None:
    access = access_to(
        a=[httpx.Response(400), httpx.Response(200, text=SOLR_10)], b=[httpx.Response(503)]
    )
    source = SolrSource([URL, "http://b:8983/solr"], "books", access)
    assert [each.server for each in source.read(full=True)] == ["a:8983"]
    assert "no metrics from http://b:8983/solr: " in str(source.missing())


@pytest.mark.parametrize(("status", "readings"), [(403, 0), (429, 1), (404, 1), (503, 1)])
def test_only_a_refusal_is_for_good(status: int, readings: int) -> None:
    node = {"a:8983_solr": solr_9_node(jvm=solr_9_jvm())}
    access = access_to(a=[httpx.Response(status), httpx.Response(200, json=node)])
    source = SolrSource([URL], "books", access)
    assert source.read(full=True) == []
    assert f"no metrics from {URL}: " in str(source.missing())
    assert len(source.read(full=True)) == readings
