"""Responds late on purpose and keeps how late, by its own clock.

`python -m bench.servers.delays PORT DISTRIBUTION[:SEED] [STALL EVERY]`: with a stall, the whole
server stands still for STALL seconds in every EVERY seconds, as a JVM does while it collects
garbage.

`GET /known` gives the delays so far in µs, each from the time at which the kernel got the request
to the response handed to the kernel: what a client must have seen. When the request was read does
not count: of twenty that come at once the last is read half a millisecond after it came.
"""

import asyncio
import json
import random
import socket
import sys
import time
from collections.abc import Iterator, Sequence

import uvloop

from bench.servers.distributions import DISTRIBUTIONS
from solrbench.load.engine.http.timestamped_socket import TimestampedSocket

_BACKLOG = 4096
_BODY = b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"start":0,"docs":[]}}\n'
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
_TIMER_SECONDS = 0.001
"""What libuv's timers are exact to."""


class Log:
    """What one server knows of its own delays."""

    def __init__(self, delays: Iterator[float]) -> None:
        self.delays = delays
        self.known: list[int] = []


class Delaying:
    """One connection, with one request at a time."""

    def __init__(self, log: Log, loop: asyncio.AbstractEventLoop, connected: socket.socket) -> None:
        self._log = log
        self._loop = loop
        self._socket: TimestampedSocket | None = TimestampedSocket(loop, connected, self)

    def received(self, data: bytes, at_ns: int) -> None:
        """Respond to a request after its delay; a request for figures gets them at once."""
        if not data.startswith(b"GET /solr/books/"):
            self._send_figures(data)
            return
        delay = next(self._log.delays)
        if delay < _TIMER_SECONDS:
            self._respond(at_ns)
        else:
            self._loop.call_later(delay, self._respond, at_ns)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the socket."""
        del error
        self._socket = None

    def _respond(self, came_ns: int) -> None:
        if self._socket is None:
            return
        self._log.known.append((time.perf_counter_ns() - came_ns) // 1000)
        self._socket.write(_RESPONSE)

    def _send_figures(self, data: bytes) -> None:
        known = data.startswith(b"GET /known")
        body = json.dumps(self._log.known if known else len(self._log.known)).encode()
        if self._socket is not None:
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
            self._socket.write(head + body)


async def _stall(seconds: float, every: float) -> None:
    """Stand still again and again, in the loop's own thread."""
    while True:
        await asyncio.sleep(every - seconds)
        time.sleep(seconds)  # noqa: ASYNC251 - that is the point


async def serve(arguments: Sequence[str]) -> None:
    """Serve until the process is ended."""
    port, name, *stall = arguments
    distribution, _, seed = name.partition(":")
    log = Log(DISTRIBUTIONS[distribution](random.Random(int(seed or 1))))
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", int(port)), backlog=_BACKLOG) as server:
        server.setblocking(False)
        async with asyncio.TaskGroup() as group:
            if stall:
                group.create_task(_stall(*map(float, stall)))
            while True:
                connected, _ = await loop.sock_accept(server)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                Delaying(log, loop, connected)


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1:]))
