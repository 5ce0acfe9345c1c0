"""A client of one node: a connection, and at most one request under way over it.

When many responses come in one turn of the event loop, all are read before the first one is
checked: where the kernel does not report when bytes came, the last would else wait until all others
are checked, counted and followed by a new request, and that time would count as the server's.
Requests that follow whatever the responses are go out next, before any response is checked, so that
the server is not left waiting. And like work done together is quicker: the processor has it at
hand.
"""

import asyncio
import errno
import socket
import time
from abc import ABC, abstractmethod
from weakref import WeakKeyDictionary

from solrbench.load.engine.target import UserContext
from solrbench.load.engine.timestamped_socket import TimestampedSocket, connect_timestamped
from solrbench.load.recording.request_stats import SlowSample, qtime_milliseconds
from solrbench.load.workload.requests import Node, PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure, failure_or_none, request_failure
from solrbench.net.http import certificate_problem
from solrbench.net.http_connection import HttpConnection

_FIRST_BACKOFF_NS = 1_000_000
_LONGEST_BACKOFF_NS = 1_000_000_000

_EXHAUSTED_RESOURCES = {
    errno.EADDRNOTAVAIL: "no port of this pod is free: raise load.workers or lower the users",
    errno.EMFILE: "this process may open no more files: raise load.workers or lower the users",
    errno.ENFILE: "this node may open no more files: raise its limit or lower the users",
    errno.ENOBUFS: "this node has no memory left for connections: lower the users",
}
"""Ends of a connection that the generator itself is to blame for, by error number."""

TIMEOUT = "Timeout"
"""Kind of failure: nothing was heard in time."""

_REFUSALS = {
    ConnectionRefusedError: ("ConnectionRefused", "nothing listens on {where}"),
    ConnectionResetError: ("ConnectionReset", "{where} reset the connection"),
    TimeoutError: (TIMEOUT, "cannot connect to {where} in time"),
}

_now = time.perf_counter_ns

CompletedRequest = tuple[
    PreparedRequest, int, int, int, RequestFailure | None, tuple[int, bytes] | None
]
"""A request that has ended.

The request; when its first byte was written, and when its last one came or it was given up, in
ns; bytes on the wire; why there is no whole response, None if there is one, good or not; HTTP
status and body, None without a whole response. Not a class: that would cost more than counting it.
"""


class HttpClient(ABC):
    """Sends one request after another to one node; the connection is kept alive in between.

    Service time runs from right before the first byte of the request is written to the last byte
    of the response. A request that could not be sent counts with the time that was spent trying.
    """

    def __init__(self, context: UserContext, node: Node) -> None:
        self._context = context
        self._node = node
        self._loop = loop = context.loop
        self._connection: HttpConnection | None = None
        self._connecting: asyncio.Task[RequestFailure | None] | None = None
        self._request: PreparedRequest | None = None
        self._started_ns = 0
        self._retry_allowed = True
        self._failures_in_a_row = 0
        self._timeout_ns = int(context.timeout_seconds * 1e9)
        self._deadline_ns = 0
        """When the request under way times out, by `time.perf_counter_ns`."""
        self._deadline_timer: asyncio.TimerHandle | None = None
        self._batch = batch_of_loop(loop)
        self.is_aborted = False

    def send_early(self, request: PreparedRequest, now_ns: int) -> None:  # noqa: B027 - most wait
        """Send what follows if that does not depend on the response, which is not checked yet."""

    @abstractmethod
    def on_completed(self, ended: CompletedRequest) -> None:
        """Take the end of a request; another may be sent now, unless `send_early` has done so."""

    def slow_sample(self, ended: CompletedRequest, failed: RequestFailure | None) -> SlowSample:
        """Return a checked request as an entry of the list of slow ones."""
        request, started_ns, ended_ns, _, _, response = ended
        return SlowSample(
            microseconds=(ended_ns - started_ns) // 1000,
            request=request,
            started_ns=started_ns,
            node=self._node.address,
            qtime_milliseconds=None if response is None else qtime_milliseconds(response[1]),
            failed=failure_or_none(failed),
        )

    async def connect_ahead(self) -> RequestFailure | None:
        """Connect ahead of the first request, which tries again; return why there is none."""
        self._connecting = asyncio.current_task()
        try:
            async with asyncio.timeout(self._timeout_ns / 1e9):
                return await self._open()
        except TimeoutError:
            self._connecting = None
            return self._timed_out(f"cannot connect to {self._node.address}")

    def backoff_seconds(self, now_ns: int) -> float:
        """Return how long to wait before the next request, 0 after a response.

        A refused connection costs no time, and a client that tries again at once does nothing else.
        So requests without a response, one after another, begin at least 1 ms apart, then 2, 4, 8 …
        up to 1 s. One that took longer than that by itself, such as a timeout, is followed at once.
        """
        if not self._failures_in_a_row:
            return 0.0
        doublings = min(self._failures_in_a_row - 1, 10)
        pause_ns = min(_FIRST_BACKOFF_NS << doublings, _LONGEST_BACKOFF_NS)
        return max(0, self._started_ns + pause_ns - now_ns) / 1e9

    def send(self, request: PreparedRequest, now_ns: int) -> None:
        """Send a request; the one before must have ended."""
        self._request = request
        self._retry_allowed = True
        self._deadline_ns = now_ns + self._timeout_ns
        if self._deadline_timer is None:
            # It lives through many requests: one for each would cost as much as sending it.
            seconds = self._timeout_ns / 1e9
            self._deadline_timer = self._loop.call_later(seconds, self._check_deadline)
        connection = self._connection
        if connection is None:
            self._started_ns = 0
            if self._connecting is None:
                self._connecting = self._loop.create_task(self._open())
            return
        message = self._node.message(request)
        self._started_ns = _now()
        connection.send(message)

    def abort(self) -> None:
        """Let everything go at once."""
        self.is_aborted = True
        self._request = None
        if self._deadline_timer is not None:
            self._deadline_timer.cancel()
        self._disconnect()

    def on_response(
        self, status: int, body: bytes, received: int, keep: bool, ended_ns: int
    ) -> None:
        """Keep a whole response; it is handed over when the loop's turn is over."""
        if ended_ns < self._started_ns:
            # The wall clock was set forward since it came; see `timestamped_socket`.
            ended_ns = _now()
        self._failures_in_a_row = 0
        if not keep:
            self._disconnect()
        request = self._request
        if request is not None:
            self._request = None
            ended = (request, self._started_ns, ended_ns, received, None, (status, body))
            self._batch.add(self, ended)

    def on_malformed_response(self, message: str) -> None:
        """Hand over a response that is no HTTP and start over with a fresh connection."""
        self._disconnect()
        self._fail(_now(), 0, request_failure("MalformedResponse", message))

    def on_connection_lost(self, error: Exception | None, received: int) -> None:
        """Send the request again if the server may not have seen it, or count the loss.

        A server may close an idle connection at the very moment it is used again. As HTTP
        clients do (RFC 9112, 9.3.1), such a request is sent once more over a fresh connection;
        but not what may change documents: it may have been carried out, and twice does more.
        """
        reused = self._connection is not None and self._connection.response_count > 0
        self._connection = None
        if self._request is None:
            return
        again = (
            self._retry_allowed and self._request.template_index not in self._node.update_templates
        )
        if reused and not received and again:
            self._retry_allowed = False
            self._context.recorder.count_retry(self._request, self._started_ns)
            self._connecting = self._loop.create_task(self._open())
            return
        self._fail(_now(), received, _lost(error, received))

    def _check_deadline(self) -> None:
        """Give up the request under way and its connection, or look again at its deadline."""
        now_ns = _now()
        self._deadline_timer = None
        if self._request is None:
            return
        if now_ns < self._deadline_ns:
            # The timer was set for a request that ended in time; now it is that of this one.
            left_seconds = (self._deadline_ns - now_ns) / 1e9
            self._deadline_timer = self._loop.call_later(left_seconds, self._check_deadline)
            return
        self._started_ns = self._started_ns or self._deadline_ns - self._timeout_ns
        missing = "no complete response"
        if self._connection is None:
            missing = f"cannot connect to {self._node.address}"
        self._disconnect()
        self._fail(now_ns, 0, self._timed_out(missing))

    def _timed_out(self, missing: str) -> RequestFailure:
        return request_failure(TIMEOUT, f"{missing} within {self._timeout_ns / 1e9:g} s")

    async def _open(self) -> RequestFailure | None:
        """Open a connection and send the request that waits for it, if one does.

        Return why that failed; the request, if there was one, has failed of it then.
        """
        tried_ns = _now()
        try:
            connection = await connect(self._node, self._loop)
        except OSError as error:
            self._connecting = None
            self._started_ns = self._started_ns or tried_ns
            failed = connect_failure(error, self._node)
            self._fail(_now(), 0, failed)
            return failed
        if self._connecting is not asyncio.current_task():
            # It was given up meanwhile; who gave up has counted that.
            connection.close()
            return None
        # Counted apart: no service time contains what it took to connect.
        self._context.recorder.record_connection(tried_ns, _now())
        self._connecting = None
        if not connection.is_open:
            # The server hung up before the owner was known, so its loss was not reported.
            self._started_ns = self._started_ns or tried_ns
            self.on_connection_lost(None, 0)
            return _lost(None, 0)
        connection.owner = self
        self._connection = connection
        if self._request is not None:
            # A request that is sent again has waited since the first time.
            self._started_ns = self._started_ns or _now()
            connection.send(self._node.message(self._request))
        return None

    def _fail(self, ended_ns: int, received: int, failed: RequestFailure) -> None:
        request = self._request
        if request is not None:
            self._request = None
            self._failures_in_a_row += 1
            self.on_completed((request, self._started_ns, ended_ns, received, failed, None))

    def _disconnect(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class ResponseBatch:
    """Keeps responses until the loop has read everything that was there to be read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._responses: list[tuple[HttpClient, CompletedRequest]] = []

    def add(self, client: HttpClient, ended: CompletedRequest) -> None:
        """Keep a whole response, with the time of its last byte."""
        if not self._responses:
            self._loop.call_soon(self._deliver)
        self._responses.append((client, ended))

    def _deliver(self) -> None:
        responses, self._responses = self._responses, []
        now_ns = _now()
        for client, ended in responses:
            if not client.is_aborted:
                client.send_early(ended[0], now_ns)
        # A second time: what one client does with its response may have let go all others.
        for client, ended in responses:
            if not client.is_aborted:
                client.on_completed(ended)


_batches: WeakKeyDictionary[asyncio.AbstractEventLoop, ResponseBatch] = WeakKeyDictionary()


def batch_of_loop(loop: asyncio.AbstractEventLoop) -> ResponseBatch:
    """Return what all clients of a loop share."""
    if loop not in _batches:
        _batches[loop] = ResponseBatch(loop)
    return _batches[loop]


async def connect(node: Node, loop: asyncio.AbstractEventLoop) -> HttpConnection:
    """Return a connection to a node; `OSError` if there is none to be had."""
    connection = HttpConnection()
    if node.tls is None:
        connected = await connect_timestamped(loop, node.host, node.port)
        stamped = TimestampedSocket(
            loop, connected, connection.received, connection.connection_lost
        )
        connection.attach_transport(stamped.write, stamped.abort)
    else:
        # Bytes are not the server's before they are decrypted, so the time of reading has to do.
        await loop.create_connection(lambda: connection, node.host, node.port, ssl=node.tls)
    return connection


def _lost(error: Exception | None, received: int) -> RequestFailure:
    message = str(error) if error else f"connection ended after {received} bytes of the response"
    return request_failure("ConnectionReset", message)


def connect_failure(error: OSError, node: Node) -> RequestFailure:
    """Return what a failed attempt to connect counts as."""
    where = node.address
    if isinstance(error, socket.gaierror):
        return request_failure("NameResolution", f"cannot resolve {node.host}: {error.strerror}")
    if problem := certificate_problem(error):
        return request_failure("CertificateNotTrusted", f"{where}: {problem}")
    for number, remedy in _EXHAUSTED_RESOURCES.items():
        # Attempts over several addresses are reported as one error without a number of its own.
        if error.errno == number or (error.errno is None and f"[Errno {number}]" in str(error)):
            return request_failure("ConnectionsRanOut", f"cannot connect to {where}: {remedy}")
    for kind, (name, text) in _REFUSALS.items():
        if isinstance(error, kind):
            return request_failure(name, text.format(where=where))
    problem = f"cannot connect to {where}: {error.strerror or error}"
    return request_failure("ConnectionFailed", problem)
