"""A server in its own process with one fixed response, faster than any client sends.

The response comes in chunks of one byte. It is sent at once, but a client has to parse them
one by one: on any machine, busy or not, the listener has ten times the work of the server.

`python -m support.servers.fast_server` listens on a free port of loopback and prints its number.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

import uvloop

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
_TESTS = Path(__file__).parents[2]


class Sayer(asyncio.Protocol):
    """Counts the ends of requests, whatever they contain."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(_RESPONSE * data.count(_END))


class FastServer(NamedTuple):
    """A running one."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def fast_server() -> Iterator[FastServer]:
    """Run one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "support.servers.fast_server"],
        env=os.environ | {"PYTHONPATH": str(_TESTS)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield FastServer(f"http://127.0.0.1:{port}/solr", process)
    finally:
        process.kill()
        process.communicate()


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(Sayer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())
