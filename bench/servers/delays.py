"""Responds late on purpose and keeps when requests came and how late it was, by its own clock.

`python -m bench.servers.delays PORT DISTRIBUTION[:SEED] [STALL EVERY]`: with a stall, the whole
server stands still for STALL seconds in every EVERY seconds, as a JVM does while it collects
garbage.

`GET /known` gives the delays so far in µs, in the order of the responses, each from the time at
which the kernel got the request to the response handed to the kernel: what a client must have
seen. When the request was read does not count: of twenty that come at once the last is read half a
millisecond after it came. `GET /arrivals` gives the times at which the kernel got the requests, and
`GET /ends` those of the responses, in ns of the wall clock.

What this module says is the truth that the product is compared with, so it must not share a fault
with it: it reads the kernel's stamp of a request (socket(7), `SO_TIMESTAMPNS`) without a line of
the product, and keeps all times by the clock of that stamp, the wall clock.
"""

import asyncio
import json
import math
import random
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import uvloop

Distribution = Callable[[random.Random], Iterator[float]]

_TAIL_INDEX = 1.8
"""Of the Pareto distribution: a mean, but no variance."""


def constant(draw: random.Random) -> Iterator[float]:
    """Yield 40 ms again and again."""
    del draw
    while True:
        yield 0.040


def bimodal(draw: random.Random) -> Iterator[float]:
    """Yield 30 ms, and 250 ms in 5 % of all cases, as with a cache that misses."""
    while True:
        yield 0.250 if draw.random() < 0.05 else 0.030


def heavy_tail(draw: random.Random) -> Iterator[float]:
    """Yield 10 ms and more, Pareto distributed, cut at 2 s."""
    while True:
        yield min(0.010 * math.pow(1 - draw.random(), -1 / _TAIL_INDEX), 2.0)


def nothing(draw: random.Random) -> Iterator[float]:
    """Yield 0 again and again."""
    del draw
    while True:
        yield 0.0


REPEAT_REQUESTS = 60
"""Requests that share a level in `repeats`."""


def repeats(draw: random.Random, cv: float, slower_percent: float) -> Iterator[float]:
    """Yield about 100 ms: each repeat has a level of its own, every second one of another side.

    `cv` is the standard deviation of the logarithms of the levels.
    """
    while True:
        for shift in (0.0, math.log1p(slower_percent / 100)):
            level = 0.100 * math.exp(shift + draw.gauss(0, cv))
            yield from (level for _ in range(REPEAT_REQUESTS))


DISTRIBUTIONS: dict[str, Distribution] = {
    "constant": constant,
    "bimodal": bimodal,
    "heavy-tail": heavy_tail,
    "none": nothing,
    "repeats": partial(repeats, cv=0.015, slower_percent=0),
    "slower": partial(repeats, cv=0.018, slower_percent=5),
    "slightly-slower": partial(repeats, cv=0.008, slower_percent=2),
}


_SO_TIMESTAMPNS = 35
_STAMP = struct.Struct("@qq")
_MAX_BYTES = 65536
_ANCILLARY_BYTES = socket.CMSG_SPACE(_STAMP.size)

now_ns = time.time_ns
"""The clock of the kernel's stamps."""


class Stamped:
    """One connection with one small request at a time, and small responses."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        connected: socket.socket,
        on_request: Callable[["Stamped", bytes, int], None],
    ) -> None:
        """Call `on_request` with this connection, the bytes, and when they came in ns."""
        self._loop = loop
        self._socket = connected
        self._on_request = on_request
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        loop.add_reader(connected, self._read)

    def _read(self) -> None:
        try:
            data, ancillary, _, _ = self._socket.recvmsg(_MAX_BYTES, _ANCILLARY_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data, ancillary = b"", []
        if data:
            self._on_request(self, data, _stamp(ancillary) or now_ns())
        else:
            self._loop.remove_reader(self._socket)
            self._socket.close()

    def respond(self, response: bytes) -> None:
        """Send a response that fits into the socket's buffer; nothing if the client has gone."""
        if self._socket.fileno() < 0:
            return
        try:
            self._socket.send(response)
        except OSError:
            self._loop.remove_reader(self._socket)
            self._socket.close()

    def respond_long(self, response: bytes) -> None:
        """Send a response of any length, and wait for the client to read it."""
        self._socket.setblocking(True)
        try:
            self._socket.sendall(response)
        finally:
            self._socket.setblocking(False)


def _stamp(ancillary: list[tuple[int, int, bytes]]) -> int | None:
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
            seconds, nanoseconds = _STAMP.unpack(data[: _STAMP.size])
            return int(seconds) * 1_000_000_000 + int(nanoseconds)
    return None


_BACKLOG = 4096


async def accept(port: int, on_request: Callable[[Stamped, bytes, int], None]) -> None:
    """Call `on_request` with each request of each connection, until the process is ended."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", port), backlog=_BACKLOG) as server:
        server.setblocking(False)
        while True:
            connected, _ = await loop.sock_accept(server)
            Stamped(loop, connected, on_request)


def _response(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def figures_response(figures: object) -> bytes:
    """Return the response to a request for what a server knows."""
    return _response(json.dumps(figures).encode())


ANSWER = _response(
    b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"start":0,"docs":[]}}\n'
)
"""The response to a query."""


def is_query(data: bytes) -> bool:
    """Return whether a request is one of the load."""
    return data.startswith(b"GET /solr/books/")


_TIMER_SECONDS = 0.001
"""What libuv's timers are exact to."""


class Delays:
    """What one server does, and what it knows of it."""

    def __init__(self, delays: Iterator[float]) -> None:
        self._delays = delays
        self._known: list[int] = []
        self._arrivals: list[int] = []
        self._ends: list[int] = []

    def serve(self, client: Stamped, data: bytes, at_ns: int) -> None:
        """Respond to a request after its delay; a request for figures gets them at once."""
        if not is_query(data):
            client.respond_long(figures_response(self._figures(data)))
            return
        self._arrivals.append(at_ns)
        delay = next(self._delays)
        if delay < _TIMER_SECONDS:
            self._respond(client, at_ns)
        else:
            asyncio.get_running_loop().call_later(delay, self._respond, client, at_ns)

    def _respond(self, client: Stamped, came_ns: int) -> None:
        ended_ns = now_ns()
        self._known.append((ended_ns - came_ns) // 1000)
        self._ends.append(ended_ns)
        client.respond(ANSWER)

    def _figures(self, data: bytes) -> object:
        match data.split(b" ", 2)[1]:
            case b"/known":
                return self._known
            case b"/arrivals":
                return sorted(self._arrivals)
            case b"/ends":
                return self._ends
            case _:
                return len(self._known)


async def _stall(seconds: float, every: float) -> None:
    """Stand still again and again, in the loop's own thread."""
    while True:
        await asyncio.sleep(every - seconds)
        time.sleep(seconds)  # noqa: ASYNC251 - that is the point


async def serve(arguments: Sequence[str]) -> None:
    """Serve until the process is ended."""
    port, name, *stall = arguments
    distribution, _, seed = name.partition(":")
    delays = Delays(DISTRIBUTIONS[distribution](random.Random(int(seed or 1))))
    async with asyncio.TaskGroup() as group:
        group.create_task(accept(int(port), delays.serve))
        if stall:
            group.create_task(_stall(*map(float, stall)))


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1:]))
