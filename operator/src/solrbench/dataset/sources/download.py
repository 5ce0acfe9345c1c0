"""Files over HTTP, streamed."""

import io
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

import httpx

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.files import DataFile
from solrbench.reasons.indexing import IndexingReason

_REDIRECTS = 5
_CHUNK_BYTES = 1 << 16
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_GONE = frozenset({404, 410})
_MAY_PASS = frozenset({408, 425, 429})


class Downloader:
    """Opens URLs, again after a lost connection, 429 or 5xx as its retry policy says."""

    def __init__(self, retry_policy: RetryPolicy) -> None:
        self._retry_policy = retry_policy
        self._client = httpx.Client(timeout=_TIMEOUT, headers={"Accept-Encoding": "identity"})

    def files(self, urls: list[str]) -> list[DataFile]:
        """Return the file behind each URL."""
        return [self._file(httpx.URL(url)) for url in urls]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _file(self, url: httpx.URL) -> DataFile:
        name = PurePosixPath(url.path).name or url.host
        return DataFile(
            name, _shown(url), lambda: self._retry_policy.call(partial(self._open, url))
        )

    def _open(self, url: httpx.URL) -> io.BufferedReader:
        try:
            return io.BufferedReader(_Body(self._follow(url)), _CHUNK_BYTES)
        except httpx.TransportError as error:
            raise _unreachable(url, str(error) or type(error).__name__) from error

    def _follow(self, url: httpx.URL) -> httpx.Response:
        request = self._client.build_request("GET", url)
        for _ in range(_REDIRECTS + 1):
            response = self._client.send(request, stream=True)
            if response.next_request is None:
                return _checked(url, response)
            response.close()
            request = response.next_request
            if request.url.host != url.host:
                raise _unreachable(
                    url,
                    f"redirects to another host, {request.url.host}",
                    "put the final URL into spec.dataset.http.urls",
                    permanent=True,
                )
        raise _unreachable(url, f"more than {_REDIRECTS} redirects", permanent=True)


class _Body(io.RawIOBase):
    """The body of a response as a file."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._chunks: Iterator[bytes] = response.iter_bytes(_CHUNK_BYTES)
        self._rest = memoryview(b"")
        self._read = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:  # codespell:ignore tell
        return self._read

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill `buffer` as far as the body goes, so that a peek sees more than one byte."""
        filled = 0
        while filled < len(buffer) and (self._rest or self._next_chunk()):
            count = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        self._read += filled
        return filled

    def _next_chunk(self) -> bool:
        self._rest = memoryview(next(self._chunks, b""))
        return len(self._rest) > 0

    def close(self) -> None:
        self._response.close()
        super().close()


def _checked(url: httpx.URL, response: httpx.Response) -> httpx.Response:
    status = response.status_code
    if response.is_success:
        return response
    response.close()
    if status in _GONE:
        raise IndexingError.not_found(
            f"{_shown(url)} (HTTP {status})", "correct spec.dataset.http.urls"
        )
    permanent = status < 500 and status not in _MAY_PASS
    raise _unreachable(url, f"HTTP {status}", permanent=permanent)


def _unreachable(
    url: httpx.URL,
    problem: str,
    remedy: str = "check spec.dataset.http.urls from inside the cluster",
    *,
    permanent: bool = False,
) -> IndexingError:
    return IndexingError(
        IndexingReason.DATASET_UNREACHABLE,
        f"{_shown(url)}: {problem}; {remedy}",
        permanent=permanent,
    )


def _shown(url: httpx.URL) -> str:
    """Return the URL without what may be secret: user, password and query."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))
