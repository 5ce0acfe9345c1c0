"""Servers on loopback that must not be trusted, and one that must not be reached."""

import json
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from support.servers.in_thread import QuietHandler, served_by

Script = Callable[["Hostile"], None]


class Canary:
    """Listens at both loopback addresses and counts who comes."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self.port = self._sockets[0].getsockname()[1]
        with suppress(OSError):
            self._sockets.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
        for each in self._sockets:
            threading.Thread(target=self._listen, args=(each,), daemon=True).start()

    def _listen(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, address = server.accept()
                self.heard.append(address)
                connection.close()

    def close(self) -> None:
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


class Hostile(QuietHandler):
    """Responds to everything as the script of the moment says."""

    script: Script

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        with suppress(OSError):
            type(self).script(self)

    do_POST = do_GET  # noqa: N815 - the base class calls it so


@contextmanager
def hostile_server() -> Iterator[tuple[type[Hostile], str]]:
    """Run one; give the class that holds its script, and its URL."""
    kind = type("OneHostile", (Hostile,), {})
    with served_by(kind) as url:
        yield kind, f"{url}/solr"


def say(value: Any, status: int = 200) -> Script:
    """Respond with JSON, or with the bytes given."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda hostile: hostile.send(body, status)


def bomb(encoding: str = "gzip") -> Script:
    """Respond with 255 KiB that unpack to 256 MiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
    return lambda hostile: hostile.send(body, Content_Encoding=encoding)


def endless(hostile: Hostile) -> None:
    hostile.send_response(200)
    hostile.end_headers()
    while True:
        hostile.wfile.write(b" " * 65536)


def drip(hostile: Hostile) -> None:
    """Respond with a byte now and then."""
    hostile.send_response(200)
    hostile.end_headers()
    event = threading.Event()
    while True:
        hostile.wfile.write(b" ")
        hostile.wfile.flush()
        event.wait(0.05)


def endless_head(hostile: Hostile) -> None:
    """Respond with headers that have no end."""
    hostile.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        hostile.wfile.write(b"X-More: " + b"x" * 60000 + b"\r\n")


def hang_up(hostile: Hostile) -> None:
    hostile.connection.close()
