"""A small HTTP server that responds as Solr does, well or badly as its script says."""

import asyncio
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, urlsplit

GOOD = b'{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":1,"docs":[]}}\n'

Parameters = list[tuple[str, str]]
Script = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request and the means to respond."""

    method: str
    path: str
    parameters: Parameters
    number: int  # from 0, over the life of the server
    on_connection: int  # from 0, on this connection
    writer: asyncio.StreamWriter
    body: str = ""
    ends_connection: bool = False

    @property
    def query(self) -> str:
        return dict(self.parameters).get("q", "")

    def send(self, body: bytes = GOOD, status: int = 200, headers: str = "") -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def send_chunked(self, body: bytes, size: int) -> None:
        self.writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in range(0, len(body), size):
            chunk = body[start : start + size]
            self.writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        self.writer.write(b"0\r\n\r\n")

    def close(self) -> None:
        self.ends_connection = True

    def reset(self) -> None:
        self.ends_connection = True
        self.writer.transport.abort()


async def respond_well(exchange: Exchange) -> None:
    exchange.send()


EVERY = range(1_000_000)


def respond_after(
    seconds: float, numbers: Container[int] = EVERY, respond: Script = respond_well
) -> Script:
    """Return a script that responds, but to the requests with these numbers not at once."""

    async def respond_later(exchange: Exchange) -> None:
        if exchange.number in numbers:
            await asyncio.sleep(seconds)
        await respond(exchange)

    return respond_later


class HttpServer:
    """Counts its requests and by how many connections."""

    def __init__(self, script: Script = respond_well, trust: ssl.SSLContext | None = None) -> None:
        self._trust = trust
        self._script = script
        self.queries: list[str] = []
        self.exchanges: list[Exchange] = []
        self.requests: list[tuple[str, str, Parameters]] = []
        self.connections = 0
        self.by_connection: Counter[int] = Counter()
        self.port = 0
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        scheme = "http" if self._trust is None else "https"
        return f"{scheme}://127.0.0.1:{self.port}/solr"

    async def __aenter__(self) -> Self:
        # Of more connections at once than the backlog, some would come a second later.
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, ssl=self._trust, backlog=1000
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = self.connections
        self.connections += 1
        try:
            while await self._exchange(connection, reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _exchange(
        self, connection: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split("\r\n")[0].split(" ")
        parts = urlsplit(target)
        text, body = parts.query, ""
        if method == "POST":
            length = int(head.lower().split("content-length:")[1].split("\r\n")[0])
            body = (await reader.readexactly(length)).decode()
            text = body if "application/x-www-form-urlencoded" in head else text
        parameters = parse_qsl(text, keep_blank_values=True)
        exchange = Exchange(
            method,
            parts.path,
            parameters,
            len(self.requests),
            self.by_connection[connection],
            writer,
            body,
        )
        self.by_connection[connection] += 1
        self.requests.append((method, parts.path, parameters))
        self.queries.append(exchange.query)
        self.exchanges.append(exchange)
        await self._script(exchange)
        await writer.drain()
        return not exchange.ends_connection
