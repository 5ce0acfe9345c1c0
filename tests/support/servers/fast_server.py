"""A server in its own process with one fixed response, faster than any client sends.

The response comes in chunks of one byte. It is sent at once, but a client has to parse them
one by one: on any machine, busy or not, the listener has ten times the work of the server.

`python -m support.servers.fast_server PORT` listens on a port of loopback.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import uvloop

from bench.harness.processes import started, wait_until
from bench.servers.running import Server, free_port, is_open
from support.servers.http_server import GOOD

_BODY = GOOD.replace(b"[]", b"[" + b" " * 2000 + b"]")
_CHUNKS = [_BODY[at : at + 1] for at in range(len(_BODY))]
_RESPONSE = b"".join(
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        *(b"%x\r\n%b\r\n" % (len(each), each) for each in [*_CHUNKS, b""]),
    ]
)
_END = b"\r\n\r\n"


class Sayer(asyncio.Protocol):
    """Counts the ends of requests, whatever they contain."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(_RESPONSE * data.count(_END))


@contextmanager
def fast_server(folder: Path) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "support.servers.fast_server", str(port)]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with started(command, folder / "server.log", paths) as process:
        wait_until(lambda: is_open(port), 10, "fast server")
        yield Server(port, process.pid)


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Sayer, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1])))
