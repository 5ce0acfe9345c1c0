"""A connected TCP socket that reports when bytes came, not when there was time to read them.

Between the two lies whatever else the worker had to do, or that no CPU was free for it. Linux
notes the time at which it got a packet and hands it over with the bytes (SO_TIMESTAMPNS in
socket(7)). Where it does not, the time of reading has to do.
"""

import _socket
import asyncio
import os
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress

_SO_TIMESTAMPNS = 35
"""From asm-generic/socket.h; Python has no name for it. No other notes are requested."""

_timespec = struct.Struct("@qq").unpack
_ANCILLARY_BYTES = socket.CMSG_SPACE(16)
_READ_BYTES = 1 << 16
"""More is read in turns; a larger buffer would be mapped again for every read."""

_SECOND_NS = 1_000_000_000

_now = time.perf_counter_ns
_wall = time.time_ns


class TimestampedSocket:
    """Writes at once and reads with times; a transport in asyncio's sense, as far as needed.

    `received` is called with bytes and the time of `time.perf_counter_ns` at which the last of them
    came; `connection_lost` with None if the other side ended the connection.
    """

    __slots__ = ("_descriptor", "_loop", "_lost", "_receive", "_received", "_rest", "_socket")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        connected: socket.socket,
        received: Callable[[bytes, int], None],
        connection_lost: Callable[[Exception | None], None],
    ) -> None:
        self._loop = loop
        # Gevent puts a Python function before each call of the sockets that it hands out.
        self._socket = _socket.socket(fileno=connected.detach())
        self._descriptor = self._socket.fileno()
        self._received = received
        self._lost = connection_lost
        self._rest = memoryview(b"")
        self._receive = self._socket.recvmsg
        # Sandboxed kernels refuse it, and then note nothing: the time of reading has to do.
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        loop.add_reader(self._descriptor, self._read)

    def write(self, message: bytes | memoryview) -> None:
        """Write now what there is room for, and the rest as soon as there is.

        A transport of the loop may wait until the loop's turn is over, and the time until then
        would count as the server's.
        """
        if self._rest:
            self._rest = memoryview(b"".join((self._rest, message)))
            return
        try:
            written = os.write(self._descriptor, message)
        except BlockingIOError:
            written = 0
        except OSError:
            # The other side is gone, which reading will show.
            return
        if written < len(message):
            # A view: copying what is left at each write would take longer than sending it.
            self._rest = memoryview(message)[written:]
            self._loop.add_writer(self._descriptor, self._write_rest)

    def abort(self) -> None:
        """End the connection at once; nothing more is received."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)
            self._descriptor = -1
            self._socket.close()

    def _write_rest(self) -> None:
        rest, self._rest = self._rest, memoryview(b"")
        self._loop.remove_writer(self._descriptor)
        self.write(rest)

    def _read(self) -> None:
        try:
            data, notes, _, _ = self._receive(_READ_BYTES, _ANCILLARY_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(error)
            return
        if not data:
            self._end(None)
            return
        if not notes:
            self._received(data, _now())
            return
        # By the wall clock. Only how long ago it was is taken from that, so nothing is lost when
        # the clock is set, but at that very moment. The wall clock is read first: a thread that
        # loses the processor between the two then dates bytes late, never earlier than they came.
        seconds, nanoseconds = _timespec(notes[0][2])
        age_ns = _wall() - seconds * _SECOND_NS - nanoseconds
        self._received(data, _now() - max(age_ns, 0))

    def _end(self, error: OSError | None) -> None:
        self.abort()
        self._lost(error)


async def connect_timestamped(
    loop: asyncio.AbstractEventLoop, host: str, port: int
) -> socket.socket:
    """Return a connected socket; every address is tried, and the `OSError` is of the first one.

    The system puts those last that this machine has no way to.
    """
    addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failed: OSError | None = None
    for family, kind, protocol, _, address in addresses:
        try:
            connecting = socket.socket(family, kind, protocol)
        except OSError as error:  # a family that this kernel does not have
            failed = failed or error
            continue
        connecting.setblocking(False)
        try:
            # Nagle's algorithm would hold the last piece of a large request back until the server
            # has acknowledged the one before, and that time would count as the server's.
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(connecting, address)
        except OSError as error:
            connecting.close()
            failed = failed or error
        except asyncio.CancelledError:
            connecting.close()
            raise
        else:
            return connecting
    raise failed or OSError(f"{host} has no address")
