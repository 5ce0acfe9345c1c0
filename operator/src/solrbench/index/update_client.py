"""Bodies posted over HTTP/1.1 connections that are kept, by the connection of the load core.

A body goes to the socket as it is: a client for all kinds of requests takes more CPU time to post a
batch than to read and prepare its documents.
"""

import asyncio
from collections import defaultdict
from itertools import chain
from typing import Self
from urllib.parse import SplitResult, urlsplit

from solrbench.net.http import HttpAuth
from solrbench.net.http_connection import HttpConnection

_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 30.0
"""Solr closes a connection that was idle for 120 s, some proxies after 60 s."""

_Idle = list[tuple[HttpConnection, float]]
"""Connections that no request is under way over, each with the time since which it is."""


class _Exchange:
    """One request under way; the owner of its connection meanwhile."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.response: asyncio.Future[tuple[int, bytes, bool]] = loop.create_future()
        """Status and body, and whether the connection may be kept."""

    def on_response(
        self, status: int, body: bytes, received: int, keep: bool, ended_ns: int
    ) -> None:
        del received, ended_ns
        if not self.response.done():
            self.response.set_result((status, body, keep))

    def on_malformed_response(self, message: str) -> None:
        self._fail(ConnectionError(message))

    def on_connection_lost(self, error: Exception | None, received: int) -> None:
        self._fail(error or ConnectionError(f"connection ended after {received} bytes"))

    def _fail(self, error: Exception) -> None:
        if not self.response.done():
            self.response.set_exception(error)


class UpdateClient:
    """Posts JSON; several requests may be under way at once, each over a connection of its own.

    It uses no proxy and follows no redirect, so that credentials go to Solr alone.
    """

    def __init__(self, access: HttpAuth, timeout_seconds: float) -> None:
        """Trust what `access` does; `timeout_seconds` last from the first byte to the last."""
        self._access = access
        self._timeout_seconds = timeout_seconds
        self._idle: defaultdict[tuple[str, str], _Idle] = defaultdict(list)
        """By scheme and address of their server."""
        lines = ["Content-Type: application/json", "Accept-Encoding: identity"]
        lines += [f"{name}: {value}" for name, value in access.headers.items()]
        self._headers = "".join(f"{line}\r\n" for line in lines)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection, _since in chain.from_iterable(self._idle.values()):
            connection.close()

    async def post(self, url: str, body: bytes) -> tuple[int, bytes]:
        """Return status and body of the response to `body`; `OSError` if there was none in time."""
        parts = urlsplit(url)
        idle = self._idle[parts.scheme, parts.netloc]
        head = f"POST {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        connection = self._take(idle) or await self._connect(parts)
        exchange = _Exchange(self._loop)
        connection.owner = exchange
        try:
            connection.send(f"{head}{self._headers}Content-Length: {len(body)}\r\n\r\n".encode())
            connection.send(body)
            async with asyncio.timeout(self._timeout_seconds):
                status, text, keep = await exchange.response
        except TimeoutError:
            connection.close()
            raise TimeoutError(f"no response within {self._timeout_seconds:g} s") from None
        except BaseException:
            connection.close()
            raise
        if keep and connection.is_open:
            connection.owner = None
            idle.append((connection, self._loop.time()))
        else:
            connection.close()
        return status, text

    def _take(self, idle: _Idle) -> HttpConnection | None:
        """Return an idle connection that the server may still have, the one used last."""
        oldest = self._loop.time() - _IDLE_SECONDS
        while idle:
            connection, since = idle.pop()
            if connection.is_open and since >= oldest:
                return connection
            connection.close()
        return None

    async def _connect(self, url: SplitResult) -> HttpConnection:
        connection, is_encrypted = HttpConnection(), url.scheme == "https"
        trust = self._access.verify if is_encrypted else None
        port = url.port or (443 if is_encrypted else 80)
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await self._loop.create_connection(
                    lambda: connection, url.hostname or "", port, ssl=trust
                )
        except TimeoutError:
            raise TimeoutError(f"no connection within {_CONNECT_SECONDS:g} s") from None
        return connection
