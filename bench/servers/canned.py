"""Ten documents to every question, and a count: `python -m bench.servers.canned PORT`.

It parses next to nothing, so that it is not the bottleneck: a request is what ends in an empty
line, so only requests without a body are understood.
"""

import asyncio
import sys
from itertools import cycle
from typing import cast

import uvloop

from bench.servers.responses import canned_responses

_BACKLOG = 1024
_COUNT = b"GET /served "


class Canned(asyncio.Protocol):
    """One connection."""

    served = 0
    responses = cycle(canned_responses())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; part of asyncio's protocol interface, as the following."""
        self._transport = cast("asyncio.Transport", transport)
        self._pending = b""

    def data_received(self, data: bytes) -> None:
        """Respond to every complete request."""
        if self._pending:
            data = self._pending + data
        if data.startswith(_COUNT):
            body = str(Canned.served).encode()
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            self._transport.write(body)
            return
        whole = data.count(b"\r\n\r\n")
        self._pending = b"" if data.endswith(b"\r\n\r\n") else data.rpartition(b"\r\n\r\n")[2]
        for _ in range(whole):
            self._transport.write(next(Canned.responses))
        Canned.served += whole


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Canned, "127.0.0.1", port, backlog=_BACKLOG)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
