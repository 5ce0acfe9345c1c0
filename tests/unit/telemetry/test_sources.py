"""What sources of readings say of a target that does not respond."""

from typing import Any

import httpx2 as httpx
import pytest

from solrbench.telemetry.sources import SolrSource, TelemetrySource, UpdateThreadSource
from support.solr.solr_metrics import SOLR_10, solr_9_jvm, solr_9_node

URL = "http://a:8983/solr"


class Lost:
    """Access to a target whose connections end without a word."""

    def open_client(self, _seconds: float) -> httpx.Client:
        def lose(request: httpx.Request) -> httpx.Response:
            raise httpx.ReadError("", request=request)

        return httpx.Client(transport=httpx.MockTransport(lose))


ACCESS: Any = Lost


@pytest.mark.parametrize(
    "source", [SolrSource([URL], "books", ACCESS), UpdateThreadSource([URL], ACCESS)]
)
def test_an_error_without_words_is_named(source: TelemetrySource) -> None:
    assert source.read(full=True) == []
    assert str(source.missing()).endswith(f" {URL}: ReadError")


class Nodes:
    """Access to nodes that respond to one request after another with these, each by its host."""

    def __init__(self, **responses: list[httpx.Response]) -> None:
        self.responses = responses

    def __call__(self) -> "Nodes":
        return self

    def open_client(self, _seconds: float) -> httpx.Client:
        def respond(request: httpx.Request) -> httpx.Response:
            return self.responses[request.url.host].pop(0)

        return httpx.Client(transport=httpx.MockTransport(respond))


def test_of_solr_10_the_node_that_does_not_respond_is_named_and_the_others_are_read() -> None:
    access: Any = Nodes(
        a=[httpx.Response(400), httpx.Response(200, text=SOLR_10)], b=[httpx.Response(503)]
    )
    source = SolrSource([URL, "http://b:8983/solr"], "books", access)
    assert [each.server for each in source.read(full=True)] == ["a:8983"]
    assert "no metrics from http://b:8983/solr: " in str(source.missing())


@pytest.mark.parametrize(("status", "readings"), [(403, 0), (429, 1), (404, 1), (503, 1)])
def test_only_a_refusal_is_for_good(status: int, readings: int) -> None:
    node = {"a:8983_solr": solr_9_node(jvm=solr_9_jvm())}
    access: Any = Nodes(a=[httpx.Response(status), httpx.Response(200, json=node)])
    source = SolrSource([URL], "books", access)
    assert source.read(full=True) == []
    assert f"no metrics from {URL}: " in str(source.missing())
    assert len(source.read(full=True)) == readings
