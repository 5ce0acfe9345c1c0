import asyncio
import json
import socket
from itertools import count
from pathlib import Path

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from solrbench.api.v1alpha1.status import IndexedFile
from solrbench.contract.pod_plans import IndexProgress, unpack_telemetry
from solrbench.contract.server_document import ServerFigures
from solrbench.index import progress
from solrbench.index.errors import IndexingError
from solrbench.index.files import ReadCounts
from solrbench.index.progress import (
    MAX_TERMINATION_MESSAGE_BYTES,
    Page,
    ProgressCounter,
    as_json,
    as_metrics,
    read_progress,
    serve_progress,
    termination_message,
    write_termination_message,
)
from solrbench.net.deadline import wildcard_address
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.summary import OwnPodMeter, summarise_servers


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("10.0.0.7", "http://10.0.0.7:8080/progress"),
        ("10:244::17", "http://[10:244::17]:8080/progress"),
    ],
)
def test_pods_of_both_families_are_asked(
    host: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text=str(request.url)))
    monkeypatch.setattr(progress, "create_client", lambda **_: httpx.Client(transport=transport))
    assert read_progress(host) == url


def test_a_pod_that_sends_too_much_has_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=" " * 65537))
    monkeypatch.setattr(progress, "create_client", lambda **_: httpx.Client(transport=transport))
    assert read_progress("10.0.0.7") == ""


def test_counts_what_was_accepted() -> None:
    times = count(100.0)
    counter = ProgressCounter(3, lambda: next(times))
    assert counter.progress == IndexProgress(pod=3)
    for size in (10, 20):
        counter.sending()
        counter.accepted(2, size, 0.25)
    counter.retried()
    counter.ended()
    assert counter.progress == IndexProgress(
        pod=3,
        documents=4,
        bytes=30,
        started=100.0,
        finished=102.0,
        retried_batches=1,
        waiting_seconds=0.5,
    )


def test_usage_from_the_first_batch_on_is_in_the_last_report() -> None:
    class Meter(OwnPodMeter):
        begun = 0

        def begin(self) -> None:
            self.begun += 1

        def figures(self) -> ServerFigures:
            figures = {"cpu_seconds": 1.23456, "throttled_percent": 40.0, "periods": 7.0}
            return ServerFigures(server="i", seconds=self.begun, readings=2, figures=figures)

    counter = ProgressCounter(0, lambda: 1.0, Meter("index"))  # its own begin is the first one
    for _ in range(2):
        counter.sending()
    counter.sent()
    counter.ended()
    usage = json.loads(as_json(counter.progress))["usage"]
    assert usage == {"seconds": 2.0, "cpu_seconds": 1.235, "throttled_percent": 40.0}


def test_failure_is_reported_by_reason_and_message() -> None:
    counter = ProgressCounter(0, lambda: 1.0)
    counter.ended(IndexingError.malformed("a.json: record 3", "no JSON"))
    body = json.loads(as_json(counter.progress))
    assert body["reason"] == "MalformedDocument"
    assert body["message"] == "a.json: record 3: no JSON; correct the file"
    assert "started" not in body


def terminated(progress: IndexProgress) -> IndexProgress:
    """Return what the operator reads of a termination message, which must not be too long."""
    text = termination_message(progress)
    assert len(text) <= MAX_TERMINATION_MESSAGE_BYTES
    return IndexProgress.model_validate_json(text)


@pytest.mark.parametrize("message", ["short", "é" * 5000, '"\\\n' * 3000, "😀" * 2000])
def test_long_termination_message_is_shortened_and_parses(message: str) -> None:
    whole = f"a.json: record 3: {message}; correct the file"
    progress = IndexProgress(pod=1, documents=7, reason="MalformedDocument", message=whole)
    found = terminated(progress)
    assert (found.documents, found.reason) == (7, "MalformedDocument")
    assert found.message is not None
    assert found.message.startswith("a.json: record 3: ")
    assert found.message.endswith("; correct the file")
    assert len(termination_message(progress)) > 2000 or found.message == whole


def test_files_are_shortened_and_left_out_before_the_message_is_cut() -> None:
    files = [
        IndexedFile(name="😀" * 60, documents=10**9, bytes=10**12, seconds=n) for n in range(16)
    ]
    cut = "a.json: record 3: " + "x" * 3000
    for message, most in ((None, 16), ("a.json: record 3", 16), (cut, 4)):
        found = terminated(IndexProgress(pod=1, files=99, slowest_files=files, message=message))
        assert (found.files, found.message) == (99, message)
        assert 0 < len(found.slowest_files) <= most
        kept = zip(found.slowest_files, files, strict=False)
        assert all(whole.name.endswith(short.name) for short, whole in kept)
        assert [each.seconds for each in found.slowest_files] == [*range(len(found.slowest_files))]


def test_what_solr_did_comes_before_the_names_of_files() -> None:
    readings: dict[str, dict[str, list[ServerReading]]] = {"solr": {}}
    for node in range(3):
        readings["solr"][f"solr-{node}"] = [
            ServerReading(f"solr-{node}", 2.0 * n, {"cpu_seconds": n * 3.3 + node}, {"cpus": 4.0})
            for n in range(30)
        ]
    files = [
        IndexedFile(name=f"{n:02}{'/part' * 8}", documents=10**6, bytes=10**9, seconds=n)
        for n in range(16)
    ]
    found = []
    for slowest in ([], files):
        counter = ProgressCounter(0, lambda: 1.0)
        counter.read(ReadCounts(files=16, slowest=slowest))
        counter.observed(summarise_servers(readings, []))
        counter.ended()
        found.append(terminated(counter.progress))
    assert unpack_telemetry(found[1].telemetry).series
    assert found[1].telemetry == found[0].telemetry
    assert found[1].slowest_files


def test_missing_termination_log_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_termination_message(IndexProgress(pod=1), tmp_path / "none" / "log")
    assert "no termination message" in caplog.text


def test_metrics_are_prometheus_text() -> None:
    progress = IndexProgress(pod=2, documents=5, bytes=50, started=1.5, retried_batches=1)
    families = text_string_to_metric_families(as_metrics(progress, "ns/books").decode())
    samples = {sample.name: sample for family in families for sample in family.samples}
    assert {name: sample.value for name, sample in samples.items()} == {
        "solrbench_index_documents_total": 5,
        "solrbench_index_bytes_total": 50,
        "solrbench_index_retried_batches_total": 1,
        "solrbench_index_started_timestamp_seconds": 1.5,
    }
    labels = samples["solrbench_index_bytes_total"].labels
    assert labels == {"benchmark": "ns/books", "pod": "2"}


PAGES: dict[str, Page] = {"/progress": lambda: ("application/json", b'{"pod":1}')}
PROGRESS = b"GET /progress HTTP/1.1\r\nHost: x\r\n\r\n"


async def ask(request: bytes, *, end: bool = False) -> bytes:
    async with serve_progress(PAGES, "127.0.0.1", 0) as port:
        return await ask_at(port, request, end=end)


async def ask_at(port: int, request: bytes, *, end: bool = False, host: str = "127.0.0.1") -> bytes:
    """Return all that is answered; `end` says that nothing more is sent."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request)
    if end:
        writer.write_eof()
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize("path", [b"/progress", b"/progress?x=1"])
def test_get_returns_the_progress(path: bytes) -> None:
    answer = asyncio.run(ask(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Type: application/json" in head
    assert b"Content-Length: 9" in head
    assert body == b'{"pod":1}'


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"404"),
        (b"GET /other HTTP/1.1\r\n\r\n", b"400"),
        (b"POST /progress HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"405"),
        (b"HEAD /progress HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"405"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /%b HTTP/1.1\r\nHost: x\r\n\r\n" % (b"x" * 5000), b"400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: %b\r\n\r\n" % (b"x" * 5000), b"400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n%b\r\n" % (b"X: y\r\n" * 100), b"400"),
        (b"x" * 9000, b"400"),
    ],
)
def test_says_what_it_does_not_do(request_: bytes, status: bytes) -> None:
    assert asyncio.run(ask(request_)).split(b" ")[1] == status


@pytest.mark.parametrize("request_", [b"", b"\r\n\r\n", b"GET /progress HTTP/1.1\r\n"])
def test_hangs_up_on_what_is_no_request(request_: bytes) -> None:
    assert asyncio.run(ask(request_, end=True)) == b""


def test_body_of_a_request_is_not_read() -> None:
    begun = b"GET /progress HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx"
    assert asyncio.run(ask(begun)).endswith(b'{"pod":1}')


@pytest.mark.parametrize("begun", [b"", b"GET /progress HTTP/1.1\r\nHost:"])
def test_hangs_up_on_a_request_that_takes_too_long(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "REQUEST_SECONDS", 0.05)
    assert asyncio.run(ask(begun)) == b""


def test_connection_without_a_request_does_not_hold_up_the_end() -> None:
    async def leave_open() -> bytes:
        async with serve_progress(PAGES, "127.0.0.1", 0) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await ask_at(port, PROGRESS)  # so the one before it is accepted, too
        async with asyncio.timeout(2):
            rest = await reader.read()
        writer.close()
        return rest

    assert asyncio.run(leave_open()) == b""


def test_pods_of_both_families_are_served() -> None:
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]

    async def ask_both() -> list[bytes]:
        async with serve_progress(PAGES, wildcard_address(), port):
            hosts = ["127.0.0.1", "::1"] if wildcard_address() == "::" else ["127.0.0.1"]
            return [await ask_at(port, PROGRESS, host=host) for host in hosts]

    assert all(each.endswith(b'{"pod":1}') for each in asyncio.run(ask_both()))
