"""Clients that keep their connections and may send several requests at once.

The responses are those of a user's target and pods, and are read by a process that measures: each
has a limit of bytes and of time. `bounded_http` holds its time exactly, for one request at a time.
"""

import ssl
import time
from collections.abc import Iterator, Mapping

import httpx

from solrbench.net.bounded_http import check_encoding, limit_bytes

MAX_BYTES = 64 << 20
"""The longest response that is read: metrics of a hundred nodes with a hundred cores each."""


def create_pooled_client(
    seconds: float,
    trust: ssl.SSLContext | bool = True,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> httpx.Client:
    """Return a client that takes no settings from the environment and follows no redirect.

    Args:
        seconds: from one read to the next, and for the whole body of a response once its headers
            are there
        trust: authorities for https, or the bundled ones
        headers: of every request
        max_bytes: what the body of a response may have

    """
    return httpx.Client(
        transport=_LimitedTransport(seconds, max_bytes, trust),
        timeout=seconds,
        # A small body could unpack to a huge one.
        headers={"Accept-Encoding": "identity"} | dict(headers or {}),
        trust_env=False,
    )


class _LimitedTransport(httpx.HTTPTransport):
    def __init__(self, seconds: float, max_bytes: int, trust: ssl.SSLContext | bool) -> None:
        super().__init__(verify=trust, trust_env=False)
        self._seconds = seconds
        self._max_bytes = max_bytes

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its response is limited as it is read."""
        response = super().handle_request(request)
        try:
            check_encoding(response)
        except httpx.DecodingError:
            response.close()
            raise
        if isinstance(response.stream, httpx.SyncByteStream):
            response.stream = _LimitedStream(response.stream, self._seconds, self._max_bytes)
        return response


class _LimitedStream(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, seconds: float, max_bytes: int) -> None:
        self._stream = stream
        self._deadline = time.monotonic() + seconds
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[bytes]:
        for part in limit_bytes(self._stream, self._max_bytes):
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the response was not complete in time")
            yield part

    def close(self) -> None:
        self._stream.close()
