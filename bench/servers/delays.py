"""Responds late on purpose and keeps when requests came and how late it was, by its own clock.

`python -m bench.servers.delays PORT DISTRIBUTION[:SEED] [STALL EVERY]`: with a stall, the whole
server stands still for STALL seconds in every EVERY seconds, as a JVM does while it collects
garbage.

`GET /known` gives the delays so far in µs, in the order of the responses, each from the time at
which the kernel got the request to the response handed to the kernel: what a client must have
seen. When the request was read does not count: of twenty that come at once the last is read half a
millisecond after it came. `GET /arrivals` gives the times at which the kernel got the requests, and
`GET /ends` those of the responses, in ns of the wall clock.
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
from bench.servers.stamped import Stamped, now_ns

_BACKLOG = 4096
_BODY = b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"start":0,"docs":[]}}\n'
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
_TIMER_SECONDS = 0.001
"""What libuv's timers are exact to."""


class Delays:
    """What one server does, and what it knows of it."""

    def __init__(self, delays: Iterator[float], loop: asyncio.AbstractEventLoop) -> None:
        self._delays = delays
        self._loop = loop
        self._known: list[int] = []
        self._arrivals: list[int] = []
        self._ends: list[int] = []

    def serve(self, client: Stamped, data: bytes, at_ns: int) -> None:
        """Respond to a request after its delay; a request for figures gets them at once."""
        if not data.startswith(b"GET /solr/books/"):
            client.respond_long(self._figures(data))
            return
        self._arrivals.append(at_ns)
        delay = next(self._delays)
        if delay < _TIMER_SECONDS:
            self._respond(client, at_ns)
        else:
            self._loop.call_later(delay, self._respond, client, at_ns)

    def _respond(self, client: Stamped, came_ns: int) -> None:
        ended_ns = now_ns()
        self._known.append((ended_ns - came_ns) // 1000)
        self._ends.append(ended_ns)
        client.respond(_RESPONSE)

    def _figures(self, data: bytes) -> bytes:
        body: object = len(self._known)
        if data.startswith(b"GET /known"):
            body = self._known
        elif data.startswith(b"GET /arrivals"):
            body = sorted(self._arrivals)
        elif data.startswith(b"GET /ends"):
            body = self._ends
        text = json.dumps(body).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)


async def _stall(seconds: float, every: float) -> None:
    """Stand still again and again, in the loop's own thread."""
    while True:
        await asyncio.sleep(every - seconds)
        time.sleep(seconds)  # noqa: ASYNC251 - that is the point


async def serve(arguments: Sequence[str]) -> None:
    """Serve until the process is ended."""
    port, name, *stall = arguments
    distribution, _, seed = name.partition(":")
    loop = asyncio.get_running_loop()
    delays = Delays(DISTRIBUTIONS[distribution](random.Random(int(seed or 1))), loop)
    with socket.create_server(("127.0.0.1", int(port)), backlog=_BACKLOG) as server:
        server.setblocking(False)
        async with asyncio.TaskGroup() as group:
            if stall:
                group.create_task(_stall(*map(float, stall)))
            while True:
                connected, _ = await loop.sock_accept(server)
                Stamped(loop, connected, delays.serve)


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1:]))
