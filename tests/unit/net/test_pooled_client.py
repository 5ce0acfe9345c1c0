"""Whatever a target sends to the load master, a response ends in time and is not too large."""

import gzip
import time

import httpx
import pytest

from solrbench.http_auth import NO_AUTH, HttpAuth
from solrbench.net.bounded_http import ResponseTooLargeError
from solrbench.net.pooled_client import create_pooled_client
from support.servers.raw_http import HEAD, LENGTH, dripping, pour, sender, serving


def get(url: str, max_bytes: int = 1000, seconds: float = 10.0) -> httpx.Response:
    with create_pooled_client(seconds, max_bytes=max_bytes) as client:
        return client.get(url)


def test_a_response_up_to_the_limit_is_whole() -> None:
    with serving(sender(HEAD + LENGTH % 1000 + b"x" * 1000)) as url:
        assert get(url).content == b"x" * 1000


def test_a_body_without_end_is_refused() -> None:
    with serving(pour) as url, pytest.raises(ResponseTooLargeError, match="more than 1000 bytes"):
        get(url)


def test_a_compressed_response_is_refused() -> None:
    packed = gzip.compress(bytes(1 << 20))
    head = HEAD + b"Content-Encoding: gzip\r\n" + LENGTH % len(packed)
    with serving(sender(head + packed)) as url, pytest.raises(httpx.DecodingError, match="gzip"):
        get(url, max_bytes=1 << 16)


def test_a_slow_drip_ends_in_time() -> None:
    began = time.monotonic()
    with dripping(HEAD + LENGTH % 900) as url, pytest.raises(httpx.ReadTimeout):
        get(url, seconds=0.4)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("access", [NO_AUTH, HttpAuth("Basic c29scjpzb2xy")])
def test_clients_of_the_target_send_credentials_and_ask_for_no_compression(
    access: HttpAuth,
) -> None:
    seen: list[bytes] = []
    answer = sender(HEAD + LENGTH % 2 + b"{}")
    with serving(answer, seen) as url, access.open_client(10.0) as client:
        assert client.get(url).json() == {}
    (request,) = seen
    assert b"accept-encoding: identity" in request.lower()
    assert (b"authorization: basic" in request.lower()) == (access is not NO_AUTH)
