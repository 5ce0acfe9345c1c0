"""A socket that reports when bytes came, not when they were read."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from solrbench.load.engine import timestamped_socket
from solrbench.load.engine.timestamped_socket import TimestampedSocket, connect_timestamped
from solrbench.net.http_connection import HttpConnection

BUSY_SECONDS = 0.2
SO_TIMESTAMPNS = 35


@pytest.fixture(scope="module", autouse=True)
def stamps() -> Iterator[None]:
    """Let the kernel start to note times, a moment after the first socket enables it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
    with near, far:
        near.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        deadline = time.monotonic() + 10
        notes: list[tuple[int, int, bytes]] = []
        while not notes:
            assert time.monotonic() < deadline, "this kernel notes no times"
            far.sendall(b"any")
            _, notes, _, _ = near.recvmsg(10, 100)
        yield


class Reader:
    def __init__(self) -> None:
        self.pieces: list[tuple[bytes, int]] = []
        self.ends: list[Exception | None] = []
        self.heard = asyncio.Event()

    def received(self, data: bytes, at_ns: int) -> None:
        self.pieces.append((data, at_ns))
        self.heard.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.ends.append(error)
        self.heard.set()

    async def hears(self) -> None:
        await asyncio.wait_for(self.heard.wait(), 10)
        self.heard.clear()


def hold_up() -> None:
    """Keep the event loop from reading."""
    time.sleep(BUSY_SECONDS)


@asynccontextmanager
async def pair() -> AsyncIterator[tuple[TimestampedSocket, Reader, socket.socket]]:
    """Yield one of ours, its reader, and a plain socket at the other end of a TCP connection."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = await connect_timestamped(loop, "127.0.0.1", server.getsockname()[1])
        far, _ = server.accept()
    reader = Reader()
    stamped = TimestampedSocket(loop, near, reader.received, reader.connection_lost)
    with far:
        yield stamped, reader, far
    stamped.abort()


async def test_time_is_that_of_the_arrival_however_late_the_reading() -> None:
    async with pair() as (_, reader, far):
        before_ns = time.perf_counter_ns()
        far.sendall(b"answer")
        after_ns = time.perf_counter_ns()
        hold_up()
        await reader.hears()
        ((data, at_ns),) = reader.pieces
        assert data == b"answer"
        # On loopback, bytes come while they are sent; the two clocks are read one after the other.
        assert before_ns - 5e6 < at_ns < after_ns + BUSY_SECONDS * 0.5e9


async def test_bytes_never_came_earlier_than_they_did(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(clock: Callable[[], int]) -> Callable[[], int]:
        """Lose the processor as soon as the clock is read."""

        def read_ns() -> int:
            read = clock()
            time.sleep(0.05)
            return read

        return read_ns

    monkeypatch.setattr(timestamped_socket, "_now", slow(time.perf_counter_ns))
    monkeypatch.setattr(timestamped_socket, "_wall", slow(time.time_ns))
    async with pair() as (_, reader, far):
        before_ns = time.perf_counter_ns()
        far.sendall(b"answer")
        await reader.hears()
        assert reader.pieces[0][1] >= before_ns - 5e6


async def test_of_several_pieces_read_at_once_the_last_one_counts() -> None:
    async with pair() as (_, reader, far):
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        far.sendall(b"first")
        hold_up()
        between_ns = time.perf_counter_ns()
        far.sendall(b"second")
        hold_up()
        await reader.hears()
        ((data, at_ns),) = reader.pieces
        assert data == b"firstsecond"
        assert between_ns - 5e6 < at_ns < between_ns + BUSY_SECONDS * 0.5e9


async def test_where_the_kernel_notes_nothing_the_time_of_reading_counts() -> None:
    # The kernel notes no times of sockets without a network.
    near, far = socket.socketpair()
    near.setblocking(False)
    reader, loop = Reader(), asyncio.get_running_loop()
    stamped = TimestampedSocket(loop, near, reader.received, reader.connection_lost)
    far.sendall(b"answer")
    read_ns = time.perf_counter_ns()
    await reader.hears()
    assert reader.pieces[0][1] >= read_ns
    stamped.abort()
    far.close()


async def test_request_that_does_not_fit_arrives_whole_and_in_order() -> None:
    first, second = bytes(range(256)) * 32 * 1024, b"the next one"
    async with pair() as (stamped, _, far):
        loop = asyncio.get_running_loop()
        far.setblocking(False)
        stamped.write(first)
        assert stamped._rest.obj is first  # the rest is not copied at each write
        stamped.write(second)
        found = b""
        while len(found) < len(first) + len(second):
            found += await loop.sock_recv(far, 1 << 20)
        assert found == first + second


async def test_end_of_the_other_side_is_reported_once() -> None:
    async with pair() as (stamped, reader, far):
        far.close()
        await reader.hears()
        assert reader.ends == [None]
        stamped.abort()
        assert reader.ends == [None]


async def test_reset_is_reported_with_its_reason() -> None:
    async with pair() as (stamped, reader, far):
        stamped.write(b"never read")
        # Closing with bytes unread resets the connection.
        await asyncio.to_thread(far.recv, 1)
        far.close()
        await reader.hears()
        (error,) = reader.ends
        assert isinstance(error, ConnectionResetError)


async def test_nothing_is_written_after_the_end() -> None:
    async with pair() as (stamped, _, far):
        connection = HttpConnection()
        connection.attach_transport(stamped.write, stamped.abort)
        connection.close()
        with pytest.raises(ConnectionError, match="4 bytes written"):
            connection.send(b"late")
        assert await asyncio.to_thread(far.recv, 10) == b""


class Resolving(asyncio.SelectorEventLoop):
    """A loop in which each name has these addresses."""

    addresses: list[tuple[int, int]]
    """Family and port of each."""

    async def getaddrinfo(self, *_: object, **__: object) -> list[Any]:
        return [
            (family, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))
            for family, port in self.addresses
        ]


def test_each_address_is_tried_and_the_first_failure_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        closed = gone.getsockname()[1]
    unknown, loop = 77, Resolving()
    with socket.create_server(("127.0.0.1", 0)) as server:
        loop.addresses = [(unknown, 1), (socket.AF_INET, server.getsockname()[1])]
        loop.run_until_complete(connect_timestamped(loop, "solr", 1)).close()
    loop.addresses = [(socket.AF_INET, closed), (unknown, 1)]
    with pytest.raises(ConnectionRefusedError):
        loop.run_until_complete(connect_timestamped(loop, "solr", 1))
    loop.close()
