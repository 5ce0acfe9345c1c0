"""One TCP connection that carries one request after another.

A connection knows nothing of users, step runs or what a good response is: it writes bytes and hands
over status and body of the response.

Servers repeat themselves: but for the date and the length, every response has the same head. A head
that has been parsed once is known by its bytes, so most responses are one look into a table.

The timeout of one request after another.

One timer lives through many requests: one for each would cost as much as sending it.

The responses of one turn of the event loop.

When many responses come at once, all are read before the first one is checked: where the kernel
does not report when bytes came, the last would else wait until all others are checked, counted and
followed by a new request, and that time would count as the server's.

Requests that follow whatever the responses are go out next, before any response is checked, so that
the server is not left waiting. And like work done together is quicker: the processor has it at
hand.
"""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol, cast
from weakref import WeakKeyDictionary

from httptools import HttpParserError, HttpResponseParser

from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure

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
    """The connection may be kept."""


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


class Transport(Protocol):
    """What carries the bytes."""

    def write(self, data: bytes, /) -> None:
        """Send."""

    def abort(self) -> None:
        """End the connection at once."""


_now = time.perf_counter_ns


def _not_open(data: bytes) -> None:
    raise ConnectionError(f"{len(data)} bytes written before the connection was made")


class HttpConnection(asyncio.Protocol):
    """One connection. Its end is not reported while it has no owner.

    `send` writes a request; the response to the one before must have come. Bytes come with the time
    at which they did, or through a transport of the event loop, which knows only when it read them.
    """

    __slots__ = (
        "_body",
        "_complete",
        "_feed",
        "_head",
        "_keep",
        "_more",
        "_parser",
        "_received",
        "_transport",
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
        self._transport: Transport | None = None
        self._body = b""
        self._head = b""
        self._more: list[bytes] = []
        self._received = 0
        self._complete = False
        self._keep = True

    @property
    def is_open(self) -> bool:
        """Say whether the connection is there."""
        return self._transport is not None

    def close(self) -> None:
        """End the connection at once; the owner hears nothing more."""
        self.owner = None
        self.send = _not_open
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Use a transport of the loop; part of asyncio's protocol interface."""
        self.attach_transport(cast("asyncio.Transport", transport))

    def attach_transport(self, transport: Transport) -> None:
        """Be connected by this."""
        self._transport = transport
        self.send = transport.write

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
        self._transport = None
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


class DeadlineOwner(Protocol):
    """What sends the requests that time out."""

    def has_request(self) -> bool:
        """Say whether a request is under way."""

    def on_deadline_expired(self, now_ns: int) -> None:
        """Give up the request under way."""


class RequestDeadline:
    """Lets a request expire that has not ended by its deadline.

    Times are of `time.perf_counter_ns`. The timer of a request that ends in time stays; when it
    fires, it is set for the request that is then under way.

    Attributes:
        at_ns: when the request under way times out; the hot path sets it for each request
        timeout_ns: what a request may take
        timer: runs if it is there; without one, the hot path calls `set_timer`
    """

    __slots__ = ("_loop", "at_ns", "timeout_ns", "timer")

    def __init__(self, timeout_seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        self.timeout_ns = int(timeout_seconds * 1e9)
        self.at_ns = 0
        self.timer: asyncio.TimerHandle | None = None
        self._loop = loop

    def set_timer(self, owner: DeadlineOwner) -> None:
        """Watch the request that `owner` sends now, and those after it."""
        # The timer alone knows the owner: clients that are let go shall not need the collector.
        self.timer = self._loop.call_later(self.timeout_ns / 1e9, self._check, owner)

    def cancel(self) -> None:
        """Let no request expire any more."""
        if self.timer is not None:
            self.timer.cancel()

    def _check(self, owner: DeadlineOwner) -> None:
        """Let the request under way expire, or look again when it would."""
        now_ns = _now()
        self.timer = None
        if not owner.has_request():
            return
        if now_ns < self.at_ns:
            left_seconds = (self.at_ns - now_ns) / 1e9
            self.timer = self._loop.call_later(left_seconds, self._check, owner)
            return
        owner.on_deadline_expired(now_ns)


CompletedRequest = tuple[
    PreparedRequest, int, int, int, RequestFailure | None, tuple[int, bytes] | None
]
"""A request that has ended.

The request; when its first byte was written, and when its last one came or it was given up, in
ns; bytes on the wire; why there is no whole response, None if there is one, good or not; HTTP
status and body, None without a whole response. Not a class: that would cost more than counting it.
"""


class ResponseListener(Protocol):
    """Who sent a request."""

    is_aborted: bool

    def send_early(self, request: PreparedRequest, now_ns: int) -> None:
        """Send what follows if that does not depend on the response, which is not checked yet."""

    def on_completed(self, ended: CompletedRequest) -> None:
        """Take the end of a request."""


class ResponseBatch:
    """Keeps responses until the loop has read everything that was there to be read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._responses: list[tuple[ResponseListener, CompletedRequest]] = []

    def add(self, listener: ResponseListener, ended: CompletedRequest) -> None:
        """Keep a whole response, with the time of its last byte."""
        if not self._responses:
            self._loop.call_soon(self._deliver)
        self._responses.append((listener, ended))

    def _deliver(self) -> None:
        responses, self._responses = self._responses, []
        now_ns = _now()
        for listener, ended in responses:
            if not listener.is_aborted:
                listener.send_early(ended[0], now_ns)
        for listener, ended in responses:
            if not listener.is_aborted:
                listener.on_completed(ended)


_batches: WeakKeyDictionary[asyncio.AbstractEventLoop, ResponseBatch] = WeakKeyDictionary()


def batch_of_loop(loop: asyncio.AbstractEventLoop) -> ResponseBatch:
    """Return what all clients of a loop share."""
    if loop not in _batches:
        _batches[loop] = ResponseBatch(loop)
    return _batches[loop]
