"""What sources of readings say of a target that does not respond."""

from typing import Any

import httpx2 as httpx
import pytest

from solrbench.telemetry.sources import SolrSource, TelemetrySource, UpdateThreadSource

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
