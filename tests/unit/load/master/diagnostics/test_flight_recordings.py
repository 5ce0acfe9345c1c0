"""Tests of `load.master.diagnostics.flight_recordings`, with agents of their own."""

import gzip

import httpx
import pytest

from solrbench.load.master.diagnostics.flight_recordings import FlightRecordings
from solrbench.telemetry import agent
from solrbench.telemetry.agent import serve
from support.servers.in_thread import in_thread

RECORDING = gzip.compress(b"FLR\0recording")


def test_recordings_are_begun_and_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(agent, "begin_recording", begun.append)
    monkeypatch.setattr(agent, "end_recording", lambda: RECORDING)
    with in_thread(serve(0, flight_recordings=True)) as address:
        recordings = FlightRecordings([address], 12)
        recordings.begin()
        (file,) = recordings.end()
        assert recordings.end() == []
    assert begun == [12]
    assert file.name.endswith(".jfr")
    assert not file.is_text
    assert file.unpack() == b"FLR\0recording"


def test_why_there_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_seconds: int) -> None:
        raise OSError("the JVM takes no commands")

    monkeypatch.setattr(agent, "begin_recording", refuse)
    monkeypatch.setattr(agent, "end_recording", lambda: refuse(0))
    with in_thread(serve(0, flight_recordings=True)) as address:
        recordings = FlightRecordings([address], 12)
        recordings.begin()
        (file,) = recordings.end()
    assert file.name.endswith(".txt")
    assert b"the JVM takes no commands" in file.unpack()


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_agent_records_only_if_it_was_started_so(method: str) -> None:
    with (
        in_thread(serve(0, flight_recordings=False)) as address,
        httpx.Client(trust_env=False) as client,
    ):
        assert client.request(method, f"http://{address}/flight-recording").status_code == 403
        assert client.request(method, f"http://{address}/usage").status_code == 404


def test_an_agent_that_is_gone_is_named() -> None:
    recordings = FlightRecordings(["127.0.0.1:9"], 12)
    recordings.begin()
    (file,) = recordings.end()
    assert file.unpack().startswith(b"no flight recording of ")
