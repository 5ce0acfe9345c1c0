"""One TCP connection that carries one request after another.

A connection knows nothing of users, step runs or what a good response is: it writes bytes and hands
over status and body of the response.

Servers repeat themselves: but for the date and the length, every response has the same head. A head
that has been parsed once is known by its bytes, so most responses are one look into a table.
"""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

_END = b"\r\n\r\n"
_INTERIM = frozenset(range(100, 200)) - {101}
_MAX_CACHED_HEADS = 4096
"""Heads known at a time, if no two are alike, as with a date or an id in each."""
_MAX_CACHED_HEAD_BYTES = 1024
"""Longer heads are parsed each time: so those that are known take four megabytes at most."""


class CachedHead(NamedTuple):
    """What the head of a response says (RFC 9112: it alone decides where the response ends)."""

    status: int
    whole: int
    """Bytes of the whole response, head included."""
    body: int
    """Where the body begins."""
    keep: bool


_head_cache: dict[bytes, CachedHead] = {}
"""By the bytes of a head; shared by all connections, which live in one thread."""


class ConnectionOwner(Protocol):
    """The client that sends over a connection."""

    def on_response(
        self, status: int, body: bytes, received: int, keep: bool, ended_ns: int
    ) -> None:
        """Take a response: HTTP status, body, bytes on the wire, may the connection be kept.

        Its last byte came at `ended_ns`.
        """

    def on_malformed_response(self, message: str) -> None:
        """Learn that what came is no HTTP."""

    def on_connection_lost(self, error: Exception | None, received: int) -> None:
        """Learn that the connection ended after `received` bytes of a response."""


_now = time.perf_counter_ns


def _not_open(data: bytes) -> None:
    raise ConnectionError(f"{len(data)} bytes written before the connection was made")


class HttpConnection(asyncio.Protocol):
    """One connection. Its end is not reported while it has no owner.

    `send` writes a request; the response to the one before must have come. Bytes come with the time
    at which they did, or through a transport of the event loop, which knows only when it read them.
    """

    __slots__ = (
        "_abort",
        "_body",
        "_complete",
        "_feed",
        "_head",
        "_keep",
        "_more",
        "_parser",
        "_received",
        "owner",
        "response_count",
        "send",
    )

    def __init__(self) -> None:
        self.owner: ConnectionOwner | None = None
        self.response_count = 0
        """Complete responses so far: 0 means that the connection is fresh."""
        self.send: Callable[[bytes], None] = _not_open
        self._parser = HttpResponseParser(self)
        self._feed = self._parser.feed_data
        self._abort: Callable[[], None] | None = None
        self._body = b""
        self._head = b""
        self._more: list[bytes] = []
        self._received = 0
        self._complete = False
        self._keep = True

    @property
    def is_open(self) -> bool:
        """Say whether the connection is there."""
        return self._abort is not None

    def close(self) -> None:
        """End the connection at once; the owner hears nothing more."""
        self.owner = None
        self.send = _not_open
        if self._abort is not None:
            self._abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Use a transport of the loop; part of asyncio's protocol interface."""
        made = cast("asyncio.Transport", transport)
        self.attach_transport(made.write, made.abort)

    def attach_transport(self, write: Callable[[bytes], None], abort: Callable[[], None]) -> None:
        """Send by `write` from now on; `abort` ends the connection at once."""
        self._abort = abort
        self.send = write

    def data_received(self, data: bytes) -> None:
        """Take bytes just read; part of asyncio's protocol interface."""
        self.received(data, _now())

    def received(self, data: bytes, at_ns: int) -> None:
        """Parse a piece of a response, and hand the response over if it was the last one."""
        if not self._received:
            head = _head_cache.get(data[: data.find(_END)])
            if head is not None and self.owner is not None:
                status, whole, begin, keep = head
                if whole == len(data):
                    self.response_count += 1
                    self.owner.on_response(status, data[begin:], whole, keep, at_ns)
                    return
        if _END not in self._head:
            self._head += data
        self._received += len(data)
        try:
            self._feed(data)
        except HttpParserUpgrade:
            self._keep = False  # what follows is another protocol's
        except HttpParserError as error:
            if self.owner is not None and not self._complete:
                self.owner.on_malformed_response(f"response is not HTTP: {error}")
                return
        if self._complete and self.owner is not None:
            status = self._parser.get_status_code()
            body, received = self._take_body()
            if received == len(data):
                _cache_head(data, len(body), status, self._keep)
            self.owner.on_response(status, body, received, self._keep, at_ns)

    def _take_body(self) -> tuple[bytes, int]:
        """Return the body of a whole response and its bytes on the wire; begin the next one."""
        body, received = self._body, self._received
        if self._more:
            body = b"".join((body, *self._more))
            self._more = []
        self._body, self._head, self._received, self._complete = b"", b"", 0, False
        self.response_count += 1
        return body, received

    def connection_lost(self, error: Exception | None) -> None:
        """Notify the owner, which may be waiting for a response."""
        self._abort = None
        self.send = _not_open
        if self.owner is None:
            return
        if error is None and _ends_with_connection(self._head):
            status = self._parser.get_status_code()
            body, received = self._take_body()
            self.owner.on_response(status, body, received, False, _now())
        else:
            self.owner.on_connection_lost(error, self._received)

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body; called by the parser."""
        if self._body:
            self._more.append(body)
        else:
            self._body = body

    def on_message_complete(self) -> None:
        """Note that the response is whole; called by the parser, which then forgets.

        An interim response, such as 103, is none: the final one follows (RFC 9110, 15.2).
        """
        if self._parser.get_status_code() in _INTERIM:
            self._head = self._head.partition(_END)[2]
            return
        self._complete = True
        self._keep = self._parser.should_keep_alive()


def _ends_with_connection(head: bytes) -> bool:
    """Say whether a response ends where its connection does (RFC 9112, 6.3): nothing else says."""
    lines, end, _ = head.lower().partition(_END)
    return bool(end) and not any(
        line.startswith((b"content-length:", b"transfer-encoding:"))
        for line in lines.split(b"\r\n")
    )


def _cache_head(response: bytes, body_bytes: int, status: int, keep: bool) -> None:
    """Remember the head of a whole response, unless its body came in chunks."""
    end = response.find(_END)
    begin = end + len(_END)
    if not 0 <= end <= _MAX_CACHED_HEAD_BYTES or begin + body_bytes != len(response):
        return
    if len(_head_cache) >= _MAX_CACHED_HEADS:
        _head_cache.clear()
    _head_cache[response[:end]] = CachedHead(status, len(response), begin, keep)
