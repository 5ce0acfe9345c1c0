"""One HTTP request, its response read up to a limit of bytes and of time.

What responds may be anything that a user of the cluster has put there, and one operator serves all
of them.
"""

import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import httpx

from solrbench.net.deadline_transport import DEADLINE, AddressCheck, DeadlineTransport


class ResponseTooLargeError(httpx.TransportError):
    """A response has more bytes than its reader takes."""


def create_client(
    headers: Mapping[str, str] | None = None,
    trust: ssl.SSLContext | None = None,
    base_url: str = "",
    check: AddressCheck | None = None,
) -> httpx.Client:
    """Return a client for one request at a time, that uses no proxy and follows no redirect.

    Args:
        headers: of every request
        trust: authorities for https; the bundled ones, loaded when first needed, if there are none
        base_url: what paths are relative to
        check: of the addresses of each connection, as a name may mean others by then

    Raises:
        httpx.InvalidURL: if `base_url` is no URL.

    """
    return httpx.Client(
        transport=DeadlineTransport(trust, check),
        headers=headers,
        base_url=base_url,
        trust_env=False,
        follow_redirects=False,
    )


def fetch(
    client: httpx.Client,
    method: str,
    url: str,
    *,
    max_bytes: int,
    seconds: float,
    **options: Any,
) -> httpx.Response:
    """Send a request and return the whole response.

    Args:
        client: of `create_client`
        method: such as `GET`
        url: absolute, or relative to the base URL of the client
        max_bytes: what the body may have
        seconds: from the lookup of the name to the last byte
        options: as `httpx.Client.build_request` takes them

    Raises:
        httpx.HTTPError: if there is no response in time; `ResponseTooLargeError` if it has more
            bytes, `httpx.DecodingError` if it is compressed, `httpx.UnsupportedProtocol` if `url`
            is no URL.

    """
    deadline = time.monotonic() + seconds
    try:
        request = client.build_request(
            method, url, timeout=seconds, extensions={DEADLINE: deadline}, **options
        )
    except httpx.InvalidURL as error:
        raise httpx.UnsupportedProtocol(f"invalid URL {url[:200]!r}: {error}") from error
    request.headers["Accept-Encoding"] = "identity"  # a small body could unpack to a huge one
    response = client.send(request, stream=True)
    try:
        body = _body(response, max_bytes)
    finally:
        response.close()
    return httpx.Response(
        response.status_code, headers=response.headers, content=body, request=request
    )


def _body(response: httpx.Response, max_bytes: int) -> bytes:
    check_encoding(response)
    return b"".join(limit_bytes(response.iter_bytes(), max_bytes))


def limit_bytes(parts: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the parts of a body.

    Raises:
        ResponseTooLargeError: they have more than `max_bytes`.

    """
    size = 0
    for part in parts:
        size += len(part)
        if size > max_bytes:
            raise ResponseTooLargeError(f"the response has more than {max_bytes} bytes")
        yield part


def check_encoding(response: httpx.Response) -> None:
    """Refuse a body that is compressed unasked.

    Raises:
        httpx.DecodingError: it is.

    """
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise httpx.DecodingError(f"the response is compressed ({encoding[:50]}), unasked")
