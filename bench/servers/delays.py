"""Answers late on purpose and keeps how late, by its own clock.

`python -m bench.servers.delays PORT DISTRIBUTION [STALL EVERY]`: with a stall, the whole server
stands still for STALL seconds in every EVERY seconds, as a JVM does while it collects garbage.

`GET /known` gives the delays so far in µs, each from the last byte of a request read to the
answer handed to the kernel: what a client must have seen at least.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import cast

import uvloop

from bench.servers.distributions import DISTRIBUTIONS

_BACKLOG = 4096
_BODY = b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"start":0,"docs":[]}}\n'
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
_TIMER_SECONDS = 0.001
"""What libuv's timers are exact to."""


class Log:
    """What one server knows of its own delays."""

    def __init__(self, delays: Iterator[float]) -> None:
        self.delays = delays
        self.known: list[int] = []


class Delaying(asyncio.Protocol):
    """One connection, with one request at a time."""

    def __init__(self, log: Log, loop: asyncio.AbstractEventLoop) -> None:
        self._log = log
        self._loop = loop
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; part of asyncio's protocol interface, as the following."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer a request after its delay; what asks for figures gets them at once."""
        came = time.perf_counter_ns()
        if not data.startswith(b"GET /solr/books/"):
            self._tell(data)
            return
        delay = next(self._log.delays)
        if delay < _TIMER_SECONDS:
            self._answer(came)
        else:
            self._loop.call_later(delay, self._answer, came)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the transport."""
        del error
        self._transport = None

    def _answer(self, came: int) -> None:
        if self._transport is None:
            return
        self._transport.write(_ANSWER)
        self._log.known.append((time.perf_counter_ns() - came) // 1000)

    def _tell(self, data: bytes) -> None:
        known = data.startswith(b"GET /known")
        body = json.dumps(self._log.known if known else len(self._log.known)).encode()
        if self._transport is not None:
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            self._transport.write(body)


async def _stall(seconds: float, every: float) -> None:
    """Stand still again and again, in the loop's own thread."""
    while True:
        await asyncio.sleep(every - seconds)
        time.sleep(seconds)  # noqa: ASYNC251 - that is the point


async def serve(arguments: Sequence[str]) -> None:
    """Serve until the process is ended."""
    port, name, *stall = arguments
    log = Log(DISTRIBUTIONS[name](random.Random(1)))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Delaying(log, loop), "127.0.0.1", int(port), backlog=_BACKLOG
    )
    stalling = asyncio.create_task(_stall(*map(float, stall))) if stall else None
    await server.serve_forever()
    del stalling


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1:]))
