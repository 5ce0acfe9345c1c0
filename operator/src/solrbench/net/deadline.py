"""Connections whose every wait ends at the request's deadline.

The time-outs of httpx2 count from one read to the next, so a server that sends a byte now and then
holds a request, headers included, for as long as it likes. The C library's resolver has no time-out
at all, so host names are resolved here, in both families of addresses.
"""

import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import httpcore2 as httpcore
import httpx2 as httpx

LOOKUP_SECONDS = 5.0


def lookup(host: str, seconds: float = LOOKUP_SECONDS) -> list[str]:
    """Return every address of a host, a name or an address without brackets, as they are resolved.

    It raises `OSError` if there is no address, `TimeoutError` if there is none in time,
    `UnicodeError` if `host` cannot be a host name.
    """
    found: Future[list[str]] = Future()

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            found.set_exception(error)
        else:
            found.set_result(list(dict.fromkeys(str(address[0]) for *_, address in infos)))

    # Nothing can end a look-up in the C library: past its time it goes on in a thread that is
    # not waited for, not even at the end of the process.
    threading.Thread(target=look_up, name="lookup", daemon=True).start()
    try:
        return found.result(seconds)
    except TimeoutError:
        raise TimeoutError(f"{host} was not resolved within {seconds:g} s") from None


AddressCheck = Callable[[str, Sequence[str]], None]
"""Raises if a host may not be connected to at its addresses."""

DEADLINE = "solrbench_deadline"
"""Extension of a request: the `time.monotonic()` at which it ends."""

_WRITE_BYTES = 1 << 14


class Deadline:
    """When the request under way ends; a client has one request at a time."""

    def __init__(self) -> None:
        self.at = math.inf

    def limit(self, timeout: float | None, error: type[Exception]) -> float | None:
        """Return the seconds that one wait may take, `None` for any; `error` when it has passed."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise error("the response was not complete within the request's deadline")
        return timeout if left == math.inf else min(left, math.inf if timeout is None else timeout)


class DeadlineTransport(httpx.HTTPTransport):
    """HTTP with a deadline for each request, and each name resolved in time.

    `check` is called with a host and all its addresses before any of them is connected to; what it
    raises ends the request. `proxy` is the URL of an HTTP proxy; none of the environment's is used.
    """

    def __init__(
        self, trust: ssl.SSLContext | None, check: AddressCheck | None, proxy: str | None = None
    ) -> None:
        # The pool of httpx2 is replaced, as it takes no network backend. An empty context spares it
        # the system's authorities, which take tens of milliseconds to load.
        super().__init__(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False)
        self._deadline = Deadline()
        backend = _Backend(self._deadline, check)
        self._pool = (
            httpcore.ConnectionPool(ssl_context=trust, network_backend=backend)
            if proxy is None
            else httpcore.HTTPProxy(proxy, ssl_context=trust, network_backend=backend)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that ends when its extension `DEADLINE` says."""
        self._deadline.at = request.extensions.get(DEADLINE, math.inf)
        return super().handle_request(request)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, deadline: Deadline, check: AddressCheck | None) -> None:
        self._deadline = deadline
        self._check = check
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        error: Exception = httpcore.ConnectError(f"{host} has no address")
        limit = self._deadline.limit(timeout, httpcore.ConnectTimeout)
        try:
            addresses = lookup(host) if limit is None else lookup(host, limit)
        # `TimeoutError` is an `OSError`, too: it comes first.
        except TimeoutError as late:
            raise httpcore.ConnectTimeout(str(late)) from late
        except (OSError, UnicodeError) as unknown:
            raise httpcore.ConnectError(str(unknown)) from unknown
        if self._check is not None:
            # By addresses, right before they are connected to: a name may mean others by then.
            self._check(host, addresses)
        for address in addresses:
            limit = self._deadline.limit(timeout, httpcore.ConnectTimeout)
            try:
                stream = self._sockets.connect_tcp(
                    address, port, limit, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
            else:
                return _Stream(stream, self._deadline)
        raise error


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.limit(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In parts: a socket's time-out counts from one write to the next, so that a server which
        # takes a byte now and then would hold a whole body for as long as it likes.
        for start in range(0, len(buffer), _WRITE_BYTES):
            limit = self._deadline.limit(timeout, httpcore.WriteTimeout)
            self._stream.write(buffer[start : start + _WRITE_BYTES], limit)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        limit = self._deadline.limit(timeout, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, limit), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


LISTEN_ALL = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104 - pods are asked from outside


def url_host(host: str) -> str:
    """Return a host as a URL has it: an IPv6 address in brackets (RFC 3986, section 3.2.2)."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def wildcard_address() -> str:
    """Return the address that takes connections of both families: `::`, or `0.0.0.0` without IPv6.

    It is for servers that leave `IPV6_V6ONLY` off, which asyncio's do not (see `single_family`).
    """
    if socket.has_dualstack_ipv6():
        # The kernel may have IPv6 and refuse it all the same, switched off by sysctl.
        with suppress(OSError):
            socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True).close()
            return LISTEN_ALL[socket.AF_INET6]
    return LISTEN_ALL[socket.AF_INET]


def single_family(address: str) -> list[str]:
    """Return the addresses to listen on for servers with `IPV6_V6ONLY`, as those of asyncio."""
    return list(LISTEN_ALL.values()) if address == LISTEN_ALL[socket.AF_INET6] else [address]
