import asyncio
import socket

import pytest

from solrbench.dataset import progress_server
from solrbench.dataset.progress_server import Page, serve_progress
from solrbench.net.addresses import wildcard_address

PAGES: dict[str, Page] = {"/progress": lambda: ("application/json", b'{"pod":1}')}
PROGRESS = b"GET /progress HTTP/1.1\r\nHost: x\r\n\r\n"


async def ask(request: bytes, *, end: bool = False) -> bytes:
    async with serve_progress(PAGES, "127.0.0.1", 0) as port:
        return await ask_at(port, request, end=end)


async def ask_at(port: int, request: bytes, *, end: bool = False, host: str = "127.0.0.1") -> bytes:
    """Return all that is answered; `end` says that nothing more is sent."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request)
    if end:
        writer.write_eof()
    async with asyncio.timeout(10):
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
        (b"GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"404"),
        (b"GET /other HTTP/1.1\r\n\r\n", b"400"),
        (b"POST /progress HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"405"),
        (b"HEAD /progress HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"405"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /%b HTTP/1.1\r\nHost: x\r\n\r\n" % (b"x" * 5000), b"400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: %b\r\n\r\n" % (b"x" * 5000), b"400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n%b\r\n" % (b"X: y\r\n" * 100), b"400"),
        (b"x" * 9000, b"400"),
    ],
)
def test_says_what_it_does_not_do(request_: bytes, status: bytes) -> None:
    assert asyncio.run(ask(request_)).split(b" ")[1] == status


@pytest.mark.parametrize("request_", [b"", b"\r\n\r\n", b"GET /progress HTTP/1.1\r\n"])
def test_hangs_up_on_what_is_no_request(request_: bytes) -> None:
    assert asyncio.run(ask(request_, end=True)) == b""


def test_body_of_a_request_is_not_read() -> None:
    begun = b"GET /progress HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx"
    assert asyncio.run(ask(begun)).endswith(b'{"pod":1}')


@pytest.mark.parametrize("begun", [b"", b"GET /progress HTTP/1.1\r\nHost:"])
def test_hangs_up_on_a_request_that_takes_too_long(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_server, "REQUEST_SECONDS", 0.05)
    assert asyncio.run(ask(begun)) == b""


def test_connection_without_a_request_does_not_hold_up_the_end() -> None:
    async def leave_open() -> bytes:
        async with serve_progress(PAGES, "127.0.0.1", 0) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await ask_at(port, PROGRESS)  # so the one before it is accepted, too
        async with asyncio.timeout(2):
            rest = await reader.read()
        writer.close()
        return rest

    assert asyncio.run(leave_open()) == b""


def test_pods_of_both_families_are_served() -> None:
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]

    async def ask_both() -> list[bytes]:
        async with serve_progress(PAGES, wildcard_address(), port):
            hosts = ["127.0.0.1", "::1"] if wildcard_address() == "::" else ["127.0.0.1"]
            return [await ask_at(port, PROGRESS, host=host) for host in hosts]

    assert all(each.endswith(b'{"pod":1}') for each in asyncio.run(ask_both()))
