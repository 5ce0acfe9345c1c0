import asyncio

import pytest

from solrbench.dataset.progress_server import Page, serve_progress

PAGES: dict[str, Page] = {"/progress": lambda: ("application/json", b'{"pod":1}')}


async def ask(request: bytes) -> bytes:
    async with serve_progress(PAGES, "127.0.0.1", 0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        writer.write_eof()
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer


@pytest.mark.parametrize("path", [b"/progress", b"/progress?x=1"])
def test_get_returns_the_progress(path: bytes) -> None:
    head, _, body = asyncio.run(ask(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path)).partition(
        b"\r\n\r\n"
    )
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Type: application/json" in head
    assert b"Content-Length: 9" in head
    assert body == b'{"pod":1}'


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /other HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /progress HTTP/1.1\r\n\r\n", b"405"),
        (b"\r\n\r\n", b"405"),
    ],
)
def test_says_what_it_does_not_do(request_: bytes, status: bytes) -> None:
    assert asyncio.run(ask(request_)).split(b" ")[1] == status


@pytest.mark.parametrize("request_", [b"", b"GET /progress HTTP/1.1\r\n", b"x" * 50_000])
def test_hangs_up_on_what_is_no_http(request_: bytes) -> None:
    try:
        answer = asyncio.run(ask(request_))
    except ConnectionError:
        answer = b""
    assert answer == b""
