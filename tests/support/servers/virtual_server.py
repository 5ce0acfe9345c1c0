"""A server without sockets in virtual time: it answers after so long, or never."""

import asyncio
from collections.abc import Callable

import pytest

from solrbench.load.engine import (
    client_pool,
    engine,
    http_client,
    measurement,
    node_sender,
    precise_timer,
    sender,
    virtual_user,
)
from solrbench.load.workload.requests import Node
from solrbench.net import http_connection
from solrbench.net.http_connection import HttpConnection
from support.fakes.virtual_time import VirtualTimeLoop

_BODY = b'{"response":{"numFound":1,"docs":[{"id":"a"}]}}'
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
_MODULES = (
    client_pool,
    engine,
    http_client,
    measurement,
    node_sender,
    precise_timer,
    http_connection,
    sender,
    virtual_user,
)


class VirtualServer:
    """Answers after `seconds`; `connect_seconds` is what a connection takes."""

    def __init__(self, loop: VirtualTimeLoop, seconds: float = 0.0) -> None:
        self.loop = loop
        self.seconds = seconds
        self.connect_seconds = 0.0
        self.refuses = False
        self.sent_ns: list[int] = []
        self.connections = 0

    async def connect(self, _: Node, __: asyncio.AbstractEventLoop) -> HttpConnection:
        await asyncio.sleep(self.connect_seconds)
        if self.refuses:
            raise ConnectionRefusedError
        self.connections += 1
        connection = HttpConnection()
        transport = _Transport(self, connection)
        connection.attach_transport(transport.write, transport.abort)
        return connection


class _Transport:
    def __init__(self, server: VirtualServer, connection: HttpConnection) -> None:
        self._server = server
        self._connection = connection

    def write(self, _: bytes) -> None:
        self._server.sent_ns.append(self._server.loop.now_ns)
        self._server.loop.call_later(self._server.seconds, self._answer)

    def abort(self) -> None:
        pass

    def _answer(self) -> None:
        self._connection.received(_RESPONSE, self._server.loop.now_ns)


def serve(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop, seconds: float = 0.0
) -> VirtualServer:
    """Let the engine run by the loop's clock, against a server that answers after `seconds`."""
    server = VirtualServer(loop, seconds)
    for module in _MODULES:
        monkeypatch.setattr(module, "_now", loop.clock_ns)
    monkeypatch.setattr(http_client, "connect", server.connect)
    monkeypatch.setattr(sender, "make_timer", precise_timer.LoopTimer)
    return server


Calls = list[str]


def calling(calls: Calls, name: str) -> Callable[[], None]:
    return lambda: calls.append(name)
