"""Whatever a server does, a request ends in time and takes a bounded number of bytes."""

import gzip
import socket
import time
from collections.abc import Sequence
from contextlib import closing
from threading import Event

import httpx
import pytest

from solrbench.net.bounded_http import ResponseTooLargeError, create_client, fetch
from support.servers.raw_http import HEAD, LENGTH, dripping, pour, sender, serving


def get(url: str, max_bytes: int = 1000, seconds: float = 10.0) -> httpx.Response:
    with closing(create_client()) as client:
        return fetch(client, "GET", url, max_bytes=max_bytes, seconds=seconds)


def test_a_response_up_to_the_limit_is_whole() -> None:
    with serving(sender(HEAD + LENGTH % 1000 + b"x" * 1000)) as url:
        response = get(url)
    assert (response.status_code, response.content) == (200, b"x" * 1000)


def test_one_byte_more_is_refused() -> None:
    with (
        serving(sender(HEAD + LENGTH % 1001 + b"x" * 1001)) as url,
        pytest.raises(ResponseTooLargeError, match="more than 1000 bytes"),
    ):
        get(url)


def test_a_body_without_end_is_refused() -> None:
    with serving(pour) as url, pytest.raises(ResponseTooLargeError):
        get(url)


def test_a_compressed_response_is_refused() -> None:
    packed = gzip.compress(bytes(100))
    head = HEAD + b"Content-Encoding: gzip\r\n" + LENGTH % len(packed)
    with serving(sender(head + packed)) as url, pytest.raises(httpx.DecodingError, match="gzip"):
        get(url)


def test_no_compression_is_asked_for() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    response = fetch(httpx.Client(transport=transport), "GET", "http://a/x", max_bytes=1, seconds=1)
    assert response.request.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("begin", [b"HTTP/1.1 200 OK\r\nX: ", HEAD + LENGTH % 900])
def test_the_deadline_holds_for_a_slow_drip(begin: bytes) -> None:
    started = time.monotonic()
    with dripping(begin) as url, pytest.raises(httpx.ReadTimeout):
        get(url, seconds=0.4)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("url", ["http://10:244::17:8080/x", "http://a:99999/x", "http://[1:2]/x"])
def test_what_is_no_url_is_an_error_of_http(url: str) -> None:
    with pytest.raises(httpx.HTTPError):
        get(url)


def test_a_name_that_is_not_resolved_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: asked.wait(20) and [])
    try:
        with pytest.raises(httpx.ConnectTimeout, match=r"search\.team\.svc was not resolved"):
            get("http://search.team.svc/x", seconds=0.1)
    finally:
        asked.set()


def test_an_address_is_checked_before_each_connection() -> None:
    def refuse(host: str, addresses: Sequence[str]) -> None:
        raise PermissionError(f"{host} is {addresses}")

    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://localhost:{server.getsockname()[1]}/x"
        with (
            closing(create_client(check=refuse)) as client,
            pytest.raises(PermissionError, match=r"localhost is .*127\.0\.0\.1"),
        ):
            fetch(client, "GET", url, max_bytes=9, seconds=9)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
