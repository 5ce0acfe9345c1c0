"""`/progress` and `/metrics` over HTTP/1.1, one request a connection (RFC 9112)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

_PATIENCE_SECONDS = 5.0
_HEAD_BYTES = 1 << 14

Page = Callable[[], tuple[str, bytes]]
"""Returns content type and body."""


@asynccontextmanager
async def serve_progress(pages: Mapping[str, Page], host: str, port: int) -> AsyncIterator[int]:
    """Answer GET for each path of `pages` while the block runs.

    Yields:
        the port, which the system chooses for port 0

    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(head, pages))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # the client has disconnected, or the request is not HTTP
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port, limit=_HEAD_BYTES)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _response(head: bytes, pages: Mapping[str, Page]) -> bytes:
    method, _, rest = head.partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0].decode("latin-1")
    if method != b"GET":
        return _message("405 Method Not Allowed", "text/plain", b"only GET\n")
    if path not in pages:
        return _message("404 Not Found", "text/plain", f"try {', '.join(pages)}\n".encode())
    return _message("200 OK", *pages[path]())


def _message(status: str, kind: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
