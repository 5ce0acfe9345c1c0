"""A virtual user: asks, waits for the answer, thinks, asks again."""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Protocol

from solrbench.access import certificate_problem
from solrbench.load.answers import Failure, failure, judge
from solrbench.load.connection import Connection
from solrbench.load.requests import Node, PreparedRequest

Think = Callable[[int], float]
"""Seconds to wait after the request with the given number, from 0."""

Record = Callable[[PreparedRequest, int, int, int, Failure | None], None]

_now = time.perf_counter_ns


class RequestSource(Protocol):
    """The pass that a user is in."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do."""

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do, so that nobody thinks about it."""

    @property
    def record(self) -> Record:
        """What counts a request: when it began and ended in ns, bytes received, what failed."""

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""

    def left(self) -> None:
        """Learn that the user is done."""


class ClosedLoopUser:
    """One user with a keep-alive connection to one node.

    Service time runs from right before the first byte of the request is written to the last byte
    of the answer. A request that could not be sent counts with the time that was spent trying.
    """

    def __init__(
        self,
        source: RequestSource,
        node: Node,
        timeout_seconds: float,
        think: Think | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._source = source
        self._node = node
        self._timeout_ns = int(timeout_seconds * 1e9)
        self._think = think
        self._loop = loop
        self._connection: Connection | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._request: PreparedRequest | None = None
        self._began_ns = 0
        self._deadline_ns = 0
        self._retry_allowed = True
        self._turn = 0
        self._watch: asyncio.TimerHandle | None = None
        self._pause: asyncio.TimerHandle | None = None

    async def prepare(self) -> None:
        """Connect ahead of the first request, which tries again if that fails or takes long."""
        self._connecting = asyncio.current_task()
        try:
            async with asyncio.timeout(self._timeout_ns / 1e9):
                await self._open()
        except TimeoutError:
            self._connecting = None

    def start(self) -> None:
        """Send the first request."""
        self._next(_now())

    def close_round(self) -> None:
        """Stop thinking: no request starts any more. One under way is finished."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
            self._next(_now())

    def drop(self) -> None:
        """Let everything go at once."""
        self._request = None
        for handle in (self._watch, self._pause):
            if handle is not None:
                handle.cancel()
        self._disconnect()

    def answered(self, status: int, body: bytes, received: int, keep: bool) -> None:
        """Judge an answer, count it and go on."""
        ended_ns = _now()
        if not keep:
            self._disconnect()
        request = self._request
        if request is not None:
            self._finish(ended_ns, received, judge(status, body, request.json))

    def malformed(self, message: str) -> None:
        """Count an answer that is no HTTP and start over with a fresh connection."""
        self._disconnect()
        self._finish(_now(), 0, failure("MalformedAnswer", message))

    def lost(self, error: Exception | None, received: int) -> None:
        """Send the request again if the server may not have seen it, or count the loss.

        A server may close an idle connection at the very moment it is used again. As HTTP
        clients do (RFC 9112, 9.3.1), such a request is sent once more over a fresh connection.
        """
        reused = self._connection is not None and self._connection.answers > 0
        self._connection = None
        if self._request is None:
            return
        if reused and not received and self._retry_allowed:
            self._retry_allowed = False
            self._source.retried(self._request)
            self._connect()
            return
        message = str(error) if error else f"connection ended after {received} bytes of the answer"
        self._finish(_now(), received, failure("ConnectionReset", message))

    def _next(self, now_ns: int) -> None:
        request = self._source.take(now_ns)
        if request is None:
            self._source.left()
            return
        self._request = request
        self._retry_allowed = True
        self._deadline_ns = now_ns + self._timeout_ns
        if self._watch is None:
            self._watch = self._loop.call_later(self._timeout_ns / 1e9, self._check_deadline)
        connection = self._connection
        if connection is None:
            self._began_ns = 0
            if self._connecting is None:
                self._connect()
            return
        message = self._node.head + request.body + self._node.tail
        self._began_ns = _now()
        connection.send(message)

    def _connect(self) -> None:
        self._connecting = self._loop.create_task(self._open())

    async def _open(self) -> None:
        """Open a connection and send the request that waits for it, if one does."""
        tried_ns = _now()
        connection = Connection()
        try:
            await self._loop.create_connection(
                lambda: connection, self._node.host, self._node.port, ssl=self._node.tls
            )
        except OSError as error:
            self._connecting = None
            self._began_ns = self._began_ns or tried_ns
            self._finish(_now(), 0, connect_failure(error, self._node))
            return
        if self._connecting is not asyncio.current_task():
            connection.close()
            return
        self._connecting = None
        if not connection.is_open:
            self._began_ns = self._began_ns or tried_ns
            self.lost(None, 0)
            return
        connection.owner = self
        self._connection = connection
        if self._request is not None:
            # A request that is sent again has waited since the first time.
            self._began_ns = self._began_ns or _now()
            connection.send(self._node.head + self._request.body + self._node.tail)

    def _check_deadline(self) -> None:
        """Time out the request under way, or look again when it would.

        One timer lives through many requests: one for each would cost as much as sending it.
        """
        now_ns = _now()
        self._watch = None
        if self._request is None:
            return
        if now_ns < self._deadline_ns:
            left = (self._deadline_ns - now_ns) / 1e9
            self._watch = self._loop.call_later(left, self._check_deadline)
            return
        self._began_ns = self._began_ns or self._deadline_ns - self._timeout_ns
        self._disconnect()
        seconds = self._timeout_ns / 1e9
        self._finish(now_ns, 0, failure("Timeout", f"no whole answer within {seconds:g} s"))

    def _finish(self, ended_ns: int, received: int, failed: Failure | None) -> None:
        request = self._request
        if request is None:
            return
        self._request = None
        self._source.record(request, self._began_ns, ended_ns, received, failed)
        if self._think is None or self._source.is_exhausted(ended_ns):
            self._next(ended_ns)
        else:
            seconds = self._think(self._turn)
            self._turn += 1
            self._pause = self._loop.call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._pause = None
        self._next(_now())

    def _disconnect(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def connect_failure(error: OSError, node: Node) -> Failure:
    """Return what a failed attempt to connect counts as."""
    where = f"{node.host}:{node.port}"
    if isinstance(error, socket.gaierror):
        return failure("NameResolution", f"cannot resolve {node.host}: {error.strerror}")
    if problem := certificate_problem(error):
        return failure("CertificateNotTrusted", f"{where}: {problem}")
    if isinstance(error, ConnectionRefusedError):
        return failure("ConnectionRefused", f"nobody listens on {where}")
    if isinstance(error, ConnectionResetError):
        return failure("ConnectionReset", f"{where} reset the connection")
    if isinstance(error, TimeoutError):
        return failure("Timeout", f"cannot connect to {where} in time")
    return failure("ConnectionFailed", f"cannot connect to {where}: {error.strerror or error}")
