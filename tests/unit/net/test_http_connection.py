"""One connection, one timer for many requests, and responses of many that come together."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pytest

from solrbench.load.engine.http_client import CompletedRequest, HttpClient, batch_of_loop
from solrbench.load.engine.target import RequestSupply, UserContext
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure
from solrbench.net import http_connection as module
from solrbench.net.http_connection import HttpConnection
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import assignment, target
from support.servers.virtual_server import serve


class Answer(NamedTuple):
    status: int
    body: bytes
    received: int
    keep: bool


class FakeOwner:
    def __init__(self) -> None:
        self.responses: list[Answer] = []
        self.problems: list[str] = []

    def on_response(
        self, status: int, body: bytes, received: int, keep: bool, ended_ns: int
    ) -> None:
        assert 0 <= time.perf_counter_ns() - ended_ns < 60e9
        self.responses.append(Answer(status, body, received, keep))

    def on_malformed_response(self, message: str) -> None:
        self.problems.append(message)

    def on_connection_lost(self, error: Exception | None, received: int) -> None:
        self.problems.append(f"lost after {received}: {error}")


@pytest.fixture(autouse=True)
def known() -> Iterator[dict[bytes, module.CachedHead]]:
    """Nothing is known at the start, whatever ran before."""
    module._head_cache.clear()
    yield module._head_cache
    module._head_cache.clear()


def connected() -> tuple[HttpConnection, FakeOwner]:
    connection, owner = HttpConnection(), FakeOwner()
    connection.owner = owner
    return connection, owner


def answer(body: bytes, head: bytes = b"HTTP/1.1 200 OK\r\nServer: any") -> bytes:
    return head + b"\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def test_second_answer_with_the_same_head_is_the_same_as_the_first(
    known: dict[bytes, module.CachedHead],
) -> None:
    connection, owner = connected()
    for body in (b"{1}", b"{2}", b"{3}"):
        connection.data_received(answer(body))
    size = len(answer(b"{1}"))
    assert owner.responses == [Answer(200, body, size, True) for body in (b"{1}", b"{2}", b"{3}")]
    assert connection.response_count == 3
    assert len(known) == 1


@pytest.mark.parametrize("size", range(1, 60))
def test_known_head_in_pieces_of_any_size_is_parsed(size: int) -> None:
    connection, owner = connected()
    whole = answer(b'{"a":1}')
    connection.data_received(whole)
    for start in range(0, len(whole), size):
        connection.data_received(whole[start : start + size])
    connection.data_received(whole)
    assert owner.responses == [Answer(200, b'{"a":1}', len(whole), True)] * 3
    assert owner.problems == []


def test_head_says_status_and_whether_the_connection_stays() -> None:
    connection, owner = connected()
    busy = answer(b"busy", b"HTTP/1.1 503 Busy\r\nConnection: close")
    connection.data_received(busy)
    again, other = connected()
    again.data_received(busy)
    assert owner.responses == other.responses == [Answer(503, b"busy", len(busy), False)]


@pytest.mark.parametrize("body", [b"", b"{}", b"\r\n\r\n", b"x" * 70_000])
def test_bodies_of_every_framing_are_read(body: bytes) -> None:
    connection, owner = connected()
    for _ in range(3):
        connection.data_received(answer(body))
    assert [each.body for each in owner.responses] == [body] * 3


def test_chunked_answer_is_never_known_by_its_head(known: dict[bytes, module.CachedHead]) -> None:
    connection, owner = connected()
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for body in (b"{1}", b"{23}", b"{}"):
        connection.data_received(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
    assert [each.body for each in owner.responses] == [b"{1}", b"{23}", b"{}"]
    assert known == {}


def test_answer_after_a_broken_one_is_not_taken_for_good() -> None:
    connection, owner = connected()
    connection.data_received(answer(b"{1}"))
    connection.data_received(b"HTTP/9 what\r\n\r\n")
    assert len(owner.responses) == 1
    assert owner.problems[0].startswith("response is not HTTP")


@pytest.mark.parametrize("pieces", [1, 2, 60])
def test_body_that_ends_with_the_connection_is_whole(pieces: int) -> None:
    connection, owner = connected()
    whole = b"HTTP/1.1 200 OK\r\nServer: any\r\n\r\n" + b'{"a":1}' * 5
    size = -(-len(whole) // pieces)
    for start in range(0, len(whole), size):
        connection.data_received(whole[start : start + size])
    assert owner.responses == []
    connection.connection_lost(None)
    assert owner.responses == [Answer(200, b'{"a":1}' * 5, len(whole), False)]
    assert owner.problems == []


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 100\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n",
        b"HTTP/1.1 200 OK\r\nServer: any\r\n",
    ],
)
def test_response_that_is_cut_off_is_lost(head: bytes) -> None:
    connection, owner = connected()
    connection.data_received(head)
    connection.connection_lost(None)
    assert owner.responses == []
    assert owner.problems == [f"lost after {len(head)}: None"]


def test_broken_connection_ends_no_body() -> None:
    connection, owner = connected()
    connection.data_received(b"HTTP/1.1 200 OK\r\n\r\n{")
    connection.connection_lost(ConnectionResetError("reset"))
    assert (owner.responses, len(owner.problems)) == ([], 1)


@pytest.mark.parametrize("size", [1, 30, 1000])
def test_interim_responses_come_before_the_answer(size: int) -> None:
    connection, owner = connected()
    whole = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer(b"{1}")
    for _ in range(2):
        for start in range(0, len(whole), size):
            connection.data_received(whole[start : start + size])
    assert owner.responses == [Answer(200, b"{1}", len(whole), True)] * 2
    assert owner.problems == []


def test_an_upgrade_is_a_response_and_the_end_of_the_connection() -> None:
    connection, owner = connected()
    whole = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
    connection.data_received(whole)
    assert owner.responses == [Answer(101, b"", len(whole), False)]


def test_long_heads_are_read_and_not_kept(known: dict[bytes, module.CachedHead]) -> None:
    connection, owner = connected()
    for _ in range(3):
        connection.data_received(answer(b"{}", b"HTTP/1.1 200 OK\r\nCookie: " + b"x" * 2000))
    assert [each.body for each in owner.responses] == [b"{}"] * 3
    assert known == {}


def test_heads_are_forgotten_before_they_fill_the_memory(
    known: dict[bytes, module.CachedHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_CACHED_HEADS", 10)
    connection, owner = connected()
    for size in range(100):
        connection.data_received(answer(b"x" * size))
        assert len(known) <= 10
    assert [len(each.body) for each in owner.responses] == list(range(100))


REQUEST = PreparedRequest(b"q=a", 0, is_readable=True)


class Client(HttpClient):
    """Notes the requests that ended, and the timers that watched them."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        recorder = StepRunRecorder(("a",), loop.now_ns)
        supply = RequestSupply(target().requests.open_stream(assignment()).requests)
        context = UserContext(supply, recorder, 1.0, loop, lambda: None)
        super().__init__(context, target("http://one:1/solr").nodes[0])
        self.failed: list[RequestFailure | None] = []
        self.ended_ns = 0
        self.timers: list[Any] = []

    def request(self, now_ns: int) -> None:
        self.send(REQUEST, now_ns)
        self.timers.append(self._deadline_timer)

    def on_completed(self, ended: CompletedRequest) -> None:
        _, _, self.ended_ns, _, failed, _ = ended
        self.failed.append(failed)


async def test_request_expires_at_its_own_deadline_by_the_timer_of_the_first(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    server, client = serve(monkeypatch, loop, 0.05), Client(loop)
    await client.connect_ahead()
    for _ in range(9):
        client.request(loop.now_ns)
        await asyncio.sleep(0.1)
    server.seconds = 100
    last_ns = loop.now_ns
    client.request(last_ns)
    await asyncio.sleep(1.1)
    assert client.failed[:-1] == [None] * 9
    failed = client.failed[-1]
    assert failed is not None
    assert failed.kind == "Timeout"
    assert round((client.ended_ns - last_ns) / 1e6) == 1000
    assert len(set(map(id, client.timers))) == 1


async def test_request_that_ended_does_not_expire_and_needs_a_new_timer_next(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    server, client = serve(monkeypatch, loop), Client(loop)
    await client.connect_ahead()
    client.request(loop.now_ns)
    await asyncio.sleep(2)
    assert (client.failed, client._deadline_timer) == ([None], None)
    server.seconds = 100
    client.request(loop.now_ns)
    await asyncio.sleep(2)
    assert len(client.failed) == 2
    assert len(set(map(id, client.timers))) == 2


async def test_aborted_client_lets_nothing_expire(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    serve(monkeypatch, loop, 100)
    client = Client(loop)
    client.abort()
    client.request(loop.now_ns)
    client.abort()
    await asyncio.sleep(5)
    assert client.failed == []


def ended(started_ns: int) -> CompletedRequest:
    return REQUEST, started_ns, started_ns + 10, 550, None, (200, b"{}")


class FakeClient:
    def __init__(self, log: list[Any]) -> None:
        self.is_aborted = False
        self._log = log

    def as_client(self) -> HttpClient:
        return cast(HttpClient, self)

    def send_early(self, *given: Any) -> None:
        self._log.append(("send_early", self, *given))

    def on_completed(self, *given: Any) -> None:
        self._log.append(("on_completed", self, *given))


async def test_all_next_requests_are_sent_before_the_first_response_is_checked() -> None:
    log: list[Any] = []
    batch = batch_of_loop(asyncio.get_running_loop())
    clients = [FakeClient(log) for _ in range(3)]
    for index, client in enumerate(clients):
        batch.add(client.as_client(), ended(index))
    assert log == []
    await asyncio.sleep(0)
    assert [each[:3] for each in log[:3]] == [("send_early", client, REQUEST) for client in clients]
    assert log[3:] == [("on_completed", client, ended(n)) for n, client in enumerate(clients)]
    batch.add(clients[0].as_client(), ended(7))
    await asyncio.sleep(0)
    assert len(log) == 8


async def test_aborted_client_gets_no_response() -> None:
    log: list[Any] = []
    batch, client = batch_of_loop(asyncio.get_running_loop()), FakeClient(log)
    batch.add(client.as_client(), ended(7))
    client.is_aborted = True
    await asyncio.sleep(0)
    assert log == []


def test_each_loop_has_a_turn_of_its_own() -> None:
    one, other = asyncio.new_event_loop(), asyncio.new_event_loop()
    assert batch_of_loop(one) is batch_of_loop(one)
    assert batch_of_loop(one) is not batch_of_loop(other)
    one.close()
    other.close()
