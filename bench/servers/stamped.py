"""Connections whose requests bear the kernel's time of arrival, without a line of the product.

What this module says is the truth that the product is compared with, so it must not share a fault
with it: it reads the kernel's stamp (socket(7), `SO_TIMESTAMPNS`) on its own, and keeps all times
by the clock of that stamp, the wall clock.
"""

import asyncio
import socket
import struct
import time
from collections.abc import Callable

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
