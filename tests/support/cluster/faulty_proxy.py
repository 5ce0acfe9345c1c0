"""A proxy before the API server that disturbs what the operator sends through it.

It stands for a busy or lost API server and for a network that fails: plain HTTP on one side, the
real API server on the other.
"""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from http.server import ThreadingHTTPServer
from random import Random
from threading import Lock
from urllib.parse import parse_qs, urlsplit

from bench.servers.api_proxy import ForwardingHandler, Headers
from support.servers.in_thread import in_thread

_WATCHED = ("solrbenchmarks", "solrbenchmarksweeps")
_JSON = [("Content-Type", "application/json")]
ERROR_SHARE = 0.05
LATENCY_SECONDS = 2.0

Connect = Callable[[], http.client.HTTPConnection]


class Fault(StrEnum):
    """What the proxy does from some write on."""

    KILL = "killed after a write"
    HIDE = "events hidden"
    EXPIRE = "watches expired"
    BUSY = "too many requests"
    ERRORS = "one of twenty requests fails"
    LATENCY = "slow responses"
    OUTAGE = "no API server"


_OF_WATCHES = (Fault.HIDE, Fault.EXPIRE, Fault.OUTAGE)


@dataclass(frozen=True)
class Interference:
    """A fault, from which write on it lasts, and for how long; errors last to the end."""

    fault: Fault
    write: int
    """Number of the write, from 1."""
    seconds: float = 3.0
    seed: int = 0


class FaultyProxy(ThreadingHTTPServer):
    """Passes everything on, counts writes, and disturbs."""

    def __init__(
        self, connect: Connect, interference: Interference | None, kill: Callable[[], None]
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connect = connect
        self.upstreams: list[http.client.HTTPConnection] = []
        self.writes = 0
        self.disturbed = 0
        self.kill = kill
        self._interference = interference
        self._source = Random(0 if interference is None else interference.seed)
        self.since: float | None = None
        self._lock = Lock()

    def note(self, *, is_write: bool) -> Fault | None:
        """Count a request and return what is to become of it."""
        with self._lock:
            self.writes += is_write
            wanted = self._interference
            if wanted is None or self.writes < wanted.write:
                return None
            if wanted.fault is Fault.KILL:
                if not is_write or self.disturbed:
                    return None
            elif wanted.fault is Fault.ERRORS:
                if self._source.random() >= ERROR_SHARE:
                    return None
            elif not self._lasts(wanted):
                return None
            self.disturbed += 1
            return wanted.fault

    def fault_of_watches(self) -> Fault | None:
        """Return what is to become of watches that are open now."""
        with self._lock:
            wanted = self._interference
            is_due = wanted is not None and wanted.fault in _OF_WATCHES and self._lasts(wanted)
            return wanted.fault if wanted is not None and is_due else None

    def is_response_lost(self) -> bool:
        """Draw whether a request that fails is served before."""
        with self._lock:
            return self._source.random() < 0.5

    def _lasts(self, wanted: Interference) -> bool:
        if self.writes < wanted.write:
            return False
        if self.since is None:
            self.since = time.monotonic()
        return time.monotonic() - self.since < wanted.seconds


class _Handler(ForwardingHandler):
    server: FaultyProxy

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        body = self.read_body()
        place = urlsplit(self.path)
        is_watch = "watch" in parse_qs(place.query)
        fault = self.server.note(is_write=self.command != "GET")
        match fault:
            case Fault.OUTAGE:
                self.close_connection = True  # without a word
                return
            case Fault.BUSY:
                self._refuse(429, "TooManyRequests", [("Retry-After", "1")])
                return
            case Fault.EXPIRE if is_watch:
                self._refuse(410, "Expired")
                return
            case Fault.ERRORS if is_watch or not self.server.is_response_lost():
                self._refuse(500, "InternalError")
                return
            case Fault.LATENCY:
                time.sleep(LATENCY_SECONDS)
            case _:
                pass
        response, headers = self.forward(body)
        if is_watch:
            self._stream(response, headers, place.path.rsplit("/", 1)[-1] in _WATCHED)
            return
        content = response.read()
        if fault is Fault.KILL:
            self.server.kill()
            self.close_connection = True
        elif fault is Fault.ERRORS:
            self._refuse(500, "InternalError")
        else:
            self.send_whole(response.status, headers, content)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - as the base has them

    def connect(self) -> http.client.HTTPConnection:
        upstream = self.server.connect()
        self.server.upstreams.append(upstream)
        return upstream

    def _refuse(self, code: int, reason: str, headers: Headers = ()) -> None:
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
        status |= {"reason": reason, "message": "the proxy disturbs"}
        self.send_whole(code, [*_JSON, *headers], json.dumps(status).encode())

    def _stream(self, response: http.client.HTTPResponse, headers: Headers, is_ours: bool) -> None:
        self.send_head(response.status, [*headers, ("Connection", "close")])
        has_hidden = False
        while line := response.readline():  # an event is a line
            fault = self.server.fault_of_watches() if is_ours else None
            if fault is Fault.HIDE:
                has_hidden = True
            elif has_hidden or fault is not None:
                return  # the client watches again, after a list or from the last event
            else:
                self.wfile.write(line)

    def finish(self) -> None:
        """Close both sides."""
        super().finish()
        if self.upstream is not None:
            self.upstream.close()

    def handle(self) -> None:
        """Serve until either side goes, which a killed operator does in the middle."""
        with suppress(OSError, http.client.HTTPException):
            super().handle()


@contextmanager
def faulty_proxy(
    connect: Connect, interference: Interference | None, kill: Callable[[], None]
) -> Iterator[FaultyProxy]:
    """Run a proxy in a thread until the end of the block."""
    server = FaultyProxy(connect, interference, kill)
    try:
        with in_thread(server):
            yield server
    finally:
        for each in server.upstreams:  # those that wait for an event would do so for long
            with suppress(OSError, AttributeError):
                each.sock.shutdown(socket.SHUT_RDWR)
