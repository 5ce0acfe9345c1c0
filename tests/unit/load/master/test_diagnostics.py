"""GC logs as the load master reads them from the agents of pods."""

from collections.abc import Iterator
from contextlib import contextmanager

import gevent
import httpx
import pytest

from solrbench.load.master.diagnostics.gc_logs import GcLogs

LOGS = {"solr-0.solr.ns": "first\n", "solr-1.solr.ns": "first\n"}


@contextmanager
def agents(logs: dict[str, str]) -> Iterator[GcLogs]:
    def respond(request: httpx.Request) -> httpx.Response:
        text = logs.get(request.url.host)
        if text is None:
            return httpx.Response(404, text="no GC log")
        begin = request.url.params.get("begin")
        shown = "" if begin is None else text[int(begin) :]
        return httpx.Response(200, json={"bytes": len(text), "text": shown})

    reader = GcLogs([f"{host}:9101" for host in LOGS])
    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        reader._agents._http = client
        yield reader


def test_only_what_was_added_is_kept() -> None:
    logs = dict(LOGS)
    with agents(logs) as reader:
        reader.begin()
        gevent.wait()
        logs["solr-0.solr.ns"] += "second\n"
        files = reader.end()
    assert [(each.name, each.unpack()) for each in files] == [
        ("gc-solr-0.log", b"second\n"),
        ("gc-solr-1.log", b""),
    ]


def test_log_that_cannot_be_read_is_said_in_its_file() -> None:
    logs = {"solr-0.solr.ns": "first\n"}
    with agents(logs) as reader:
        reader.begin()
        _, missing = reader.end()
    assert missing.unpack().startswith(b"no GC log of solr-1: Client error '404 Not Found'")


@pytest.mark.parametrize("body", ["[]", "{}", '{"bytes": "x"}', "no JSON"])
def test_response_that_is_none_of_an_agent_is_said_too(body: str) -> None:
    reader = GcLogs(["solr-0.solr.ns:9101"])
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=body))
    with httpx.Client(transport=transport) as client:
        reader._agents._http = client
        reader.begin()
        (file,) = reader.end()
    assert file.unpack().startswith(b"no GC log of solr-0: ")
