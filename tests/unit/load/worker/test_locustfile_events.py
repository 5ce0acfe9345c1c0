"""What the list of slow requests gets from events of Locust, be they as odd as they like."""

from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from solrbench.load.worker.locustfile_events import describe_event

SOLR = b'{\n  "responseHeader":{\n    "zkConnected":true,\n    "status":0,\n    "QTime": 12}}\n'
URL = "http://solr-0.solr:8983/solr/books/select?q=a&fl=id"


class Stream:
    """An answer whose body the user wants to read itself; it keeps what it has read so far."""

    def __init__(self, body: bytes | bool, kept: str = "_content") -> None:
        setattr(self, kept, body)

    @property
    def content(self) -> NoReturn:
        raise AssertionError("the body was read")


class Hostile:
    """An object that responses every question with an error of its own."""

    def __getattr__(self, name: str) -> NoReturn:
        raise KeyError(name)


@pytest.mark.parametrize(
    ("url", "query", "node"),
    [
        (URL, "GET /solr/books/select?q=a&fl=id", "solr-0.solr:8983"),
        (URL.encode(), "GET /solr/books/select?q=a&fl=id", "solr-0.solr:8983"),
        ("http://me:secret@Proxy/search", "GET /search", "proxy:80"),
        ("https://proxy/search", "GET /search", "proxy:443"),
        ("amqp://broker/queue", "GET /queue", "broker"),
        ("/select?q=a", "GET /select?q=a", None),
        ("http://proxy", "GET find", "proxy:80"),
        ("http://proxy:none/search", "GET find", None),
        ("http://[proxy/search", "GET find", None),
        ("", "GET find", None),
        (None, "GET find", None),
        (7, "GET find", None),
    ],
)
def test_address_is_path_and_node(url: Any, query: str, node: str | None) -> None:
    details = describe_event("find", request_type="GET", url=url, start_time=1.0, context={})
    assert (details.query, details.node) == (query, node)


@pytest.mark.parametrize(
    ("event", "query"),
    [
        ({"name": "check-out", "request_type": "transaction"}, "transaction check-out"),
        ({"name": "check-out"}, "check-out"),
        ({"name": "one\r\n\r\ntwo", "request_type": b"PUT"}, "PUT one two"),
        ({"name": "check-out", "request_type": Hostile()}, "check-out"),
    ],
)
def test_without_an_address_the_name_is_reported(event: dict[str, Any], query: str) -> None:
    assert describe_event(**event) == (query, None, None)


@pytest.mark.parametrize(
    ("url", "sent", "query"),
    [
        ("http://a/select", "/select?q=b", "GET /select?q=b"),
        ("http://a/select?q=b", "/select?q=b&fl=id", "GET /select?q=b&fl=id"),
        ("http://a/select", "/select/elsewhere?q=b", "GET /select"),
        ("http://a/select", "/elsewhere?q=b", "GET /select"),
        ("http://a/select", None, "GET /select"),
        ("", "/select?q=b", "GET find"),
    ],
)
def test_parameters_are_found_but_no_redirect_is_followed(
    url: str, sent: str | None, query: str
) -> None:
    answer = SimpleNamespace(request=SimpleNamespace(selector=sent))
    assert describe_event("find", answer, request_type="GET", url=url).query == query


@pytest.mark.parametrize(
    ("answer", "qtime"),
    [
        (Stream(SOLR), 12),
        (Stream(SOLR, "_cached_content"), 12),
        (Stream(b'{"responseHeader":{"status":0}}'), None),
        (Stream(b'{"solr":{"responseHeader":{"status":0,"QTime":12}}}'), None),
        (Stream(b'<p>{"responseHeader":{"status":0,"QTime":12}}</p>'), None),
        (Stream(b""), None),
        (Stream(False), None),
        (SimpleNamespace(_content=lambda: SOLR), None),
        (SimpleNamespace(), None),
        ("text", None),
        pytest.param(Hostile(), None, id="hostile"),
        (None, None),
    ],
)
def test_qtime_is_reported_if_solrs_json_was_read(answer: Any, qtime: int | None) -> None:
    details = describe_event("find", answer, request_type="GET", url=URL)
    assert details == ("GET /solr/books/select?q=a&fl=id", "solr-0.solr:8983", qtime)
