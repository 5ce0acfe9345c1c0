"""A server with some places and a queue before them; it keeps how long it served each request.

`python -m bench.servers.places PORT PLACES MEAN_SECONDS`: service times are log-normal with a
standard deviation as long as their mean. `GET /known` gives them in seconds, as they were: from
the time at which a request got its place to the time at which the place was free again.
"""

import asyncio
import json
import math
import random
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import cast

import uvloop

_BODY = b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"start":0,"docs":[]}}\n'
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)


class Places:
    """The places and the queue."""

    def __init__(self, places: int, mean_seconds: float) -> None:
        self.known: list[float] = []
        self._free = places
        self._queue: deque[asyncio.Transport] = deque()
        self._draw = random.Random(1)
        square = math.log(2.0)
        self._sigma, self._mu = math.sqrt(square), math.log(mean_seconds) - square / 2

    def serve(self, transport: asyncio.Transport) -> None:
        """Serve a request, or let it wait for a place."""
        if not self._free:
            self._queue.append(transport)
            return
        self._free -= 1
        seconds = self._draw.lognormvariate(self._mu, self._sigma)
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self._end, transport, time.perf_counter())

    def _end(self, transport: asyncio.Transport, began: float) -> None:
        self._free += 1
        self.known.append(time.perf_counter() - began)
        if not transport.is_closing():
            transport.write(_RESPONSE)
        if self._queue:
            self.serve(self._queue.popleft())


class Connection(asyncio.Protocol):
    """One connection with one request at a time."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        # That of uvloop is one without being a subclass.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Serve a request; one for the figures gets them at once."""
        if self._transport is None:
            return
        if data.startswith(b"GET /solr/books/"):
            self._places.serve(self._transport)
            return
        body = json.dumps(self._places.known).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)


async def serve(arguments: Sequence[str]) -> None:
    """Serve until the process is ended."""
    port, places, mean_seconds = arguments
    known = Places(int(places), float(mean_seconds))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(known), "127.0.0.1", int(port))
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1:]))
