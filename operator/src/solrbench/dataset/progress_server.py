"""`/progress` and `/metrics` over HTTP while documents are sent, one request a connection."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from solrbench.net.addresses import single_family

REQUEST_SECONDS = 5.0
"""A connection on which no whole request has come for so long is closed."""

_LINE_BYTES = 1 << 12
_HEADERS = 32
_SHUTDOWN_SECONDS = 1.0

Page = Callable[[], tuple[str, bytes]]
"""Returns content type and body."""


@asynccontextmanager
async def serve_progress(pages: Mapping[str, Page], host: str, port: int) -> AsyncIterator[int]:
    """Serve GET for each path of `pages` while the block runs.

    A request line and each header have at most 4 KiB, a request at most 32 headers; a body is
    not read.

    Yields:
        the port, which the system chooses for port 0

    """
    application = web.Application()
    for path, page in pages.items():
        application.router.add_get(path, _handler(page), allow_head=False)
    runner = web.AppRunner(
        application,
        access_log=None,
        keepalive_timeout=REQUEST_SECONDS,
        lingering_time=0,
        max_line_size=_LINE_BYTES,
        max_field_size=_LINE_BYTES,
        max_headers=_HEADERS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    await runner.setup()
    try:
        for address in single_family(host):
            await web.TCPSite(runner, address, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _handler(page: Page) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def respond(_request: web.Request) -> web.StreamResponse:
        kind, body = page()
        response = web.Response(body=body, headers={"Content-Type": kind})
        response.force_close()  # a client that kept it would find it closed now and then
        return response

    return respond
