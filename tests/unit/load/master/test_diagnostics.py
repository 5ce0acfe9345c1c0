"""Flight recordings and GC logs as the load master reads them from the agents of pods.

When diagnostics are taken, and how much of them is kept.
"""

import gzip
import random
from collections.abc import Callable
from typing import NoReturn

import gevent
import httpx2 as httpx
import pytest

from solrbench.contract.server_document import DiagnosticFile
from solrbench.load.master.diagnostics import (
    MAX_TEXT_BYTES,
    DiagnosticsRecorder,
    FlightRecordings,
    GcLogs,
)
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry import agent
from solrbench.telemetry.agent import serve
from support.servers.in_thread import in_thread

RECORDING = gzip.compress(b"FLR\0recording")


def recorded(
    patch: pytest.MonkeyPatch, start: Callable[..., None], take: Callable[..., bytes]
) -> DiagnosticFile:
    """Return the file of a recording of 12 s of a JVM that starts and takes it by these."""
    patch.setattr(agent, "find_java", lambda: 1)
    patch.setattr(agent, "start_recording", start)
    patch.setattr(agent, "take_recording", take)
    with in_thread(serve(0, "t", flight_recordings=True)) as address:
        recordings = FlightRecordings([address], "t", 12)
        recordings.begin()
        (file,) = recordings.end()
    return file


def test_recordings_are_begun_and_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    file = recorded(monkeypatch, lambda _, seconds: begun.append(seconds), lambda _: RECORDING)
    assert begun == [12]
    assert file.name.endswith(".jfr")
    assert not file.is_text
    assert file.unpack() == b"FLR\0recording"


def test_why_there_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> NoReturn:
        raise OSError("the JVM takes no commands")

    file = recorded(monkeypatch, refuse, refuse)
    assert file.name.endswith(".txt")
    assert b"the JVM takes no commands" in file.unpack()


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_agent_records_only_if_it_was_started_so(method: str) -> None:
    with (
        in_thread(serve(0, "t", flight_recordings=False)) as address,
        httpx.Client(headers={TOKEN_HEADER: "t"}, trust_env=False) as client,
    ):
        assert client.request(method, f"http://{address}/flight-recording").status_code == 403
        assert client.request(method, f"http://{address}/usage").status_code == 404


def test_an_agent_that_is_gone_is_named() -> None:
    recordings = FlightRecordings(["127.0.0.1:9"], "t", 12)
    recordings.begin()
    (file,) = recordings.end()
    assert file.unpack().startswith(b"no flight recording of ")


LOGS = {"solr-0.solr.ns": "first\n", "solr-1.solr.ns": "first\n"}


def reader_of(respond: Callable[[httpx.Request], httpx.Response]) -> GcLogs:
    reader = GcLogs([f"{host}:9101" for host in LOGS], "t")
    reader._http = httpx.Client(transport=httpx.MockTransport(respond))
    return reader


def agents(logs: dict[str, str]) -> GcLogs:
    def respond(request: httpx.Request) -> httpx.Response:
        text = logs.get(request.url.host)
        if text is None:
            return httpx.Response(404, text="no GC log")
        begin = request.url.params.get("begin")
        shown = "" if begin is None else text[int(begin) :]
        return httpx.Response(200, json={"bytes": len(text), "text": shown})

    return reader_of(respond)


def test_only_what_was_added_is_kept() -> None:
    logs = dict(LOGS)
    reader = agents(logs)
    reader.begin()
    gevent.wait()
    logs["solr-0.solr.ns"] += "second\n"
    files = [(each.name, each.unpack()) for each in reader.end()]
    assert files == [("gc-solr-0.log", b"second\n"), ("gc-solr-1.log", b"")]


def test_log_that_cannot_be_read_is_said_in_its_file() -> None:
    reader = agents({"solr-0.solr.ns": "first\n"})
    reader.begin()
    _, missing = reader.end()
    assert missing.unpack().startswith(b"no GC log of solr-1: Client error '404 Not Found'")


@pytest.mark.parametrize("body", ["[]", "{}", '{"bytes": "x"}', "no JSON"])
def test_response_that_is_none_of_an_agent_is_said_too(body: str) -> None:
    reader = reader_of(lambda _: httpx.Response(200, text=body))
    reader.begin()
    file, _ = reader.end()
    assert file.unpack().startswith(b"no GC log of solr-0: ")


class Source:
    def __init__(self, *files: DiagnosticFile) -> None:
        self.files = list(files)
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def end(self) -> list[DiagnosticFile]:
        return self.files


def file(name: str, size: int = 1) -> DiagnosticFile:
    return DiagnosticFile(name=name, content="x" * size)


def test_files_of_all_sources_are_taken_in_one_repeat_only() -> None:
    sources = Source(file("a")), Source(file("b"))
    recorder = DiagnosticsRecorder(2, sources)
    recorder.mark(1)
    assert recorder.end() == []
    recorder.mark(2)
    assert [each.name for each in recorder.end()] == ["a", "b"]
    assert recorder.end() == []
    assert [each.begun for each in sources] == [1, 1]


def test_step_run_that_is_begun_again_keeps_the_files_of_the_last_time() -> None:
    source = Source(file("a"))
    recorder = DiagnosticsRecorder(1, [source])
    recorder.mark(1)
    recorder.mark(1)
    assert [each.name for each in recorder.end()] == ["a"]
    assert source.begun == 2


def test_files_beyond_the_limit_are_left_out() -> None:
    draw = random.Random(1)
    sizes = [draw.randrange(1, MAX_TEXT_BYTES // 4) for _ in range(20)]
    source = Source(*(file(str(number), size) for number, size in enumerate(sizes)))
    recorder = DiagnosticsRecorder(1, [source])
    recorder.mark(1)
    kept = recorder.end()
    assert sum(len(each.content) for each in kept) <= MAX_TEXT_BYTES
    assert 0 < len(kept) < 20
