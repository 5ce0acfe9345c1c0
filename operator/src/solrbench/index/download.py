"""The body of a download as a file, which goes on where a connection was lost."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import httpx

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.files import too_large
from solrbench.reasons.indexing import IndexingReason

CHUNK_BYTES = 1 << 16
_PACKED = frozenset({"", "identity", "gzip", "x-gzip"})


@dataclass(frozen=True)
class ExpectedFile:
    """What a file must be.

    Attributes:
        location: what messages call it
        max_bytes: what it may have
        sha256: digest in hexadecimal digits; `None` if it is not known

    """

    location: str
    max_bytes: int
    sha256: str | None = None


class ResumableBody(io.RawIOBase):
    """A file over HTTP.

    A lost connection is resumed by a range request (RFC 9110, section 14) where the server gave a
    strong entity tag, which makes sure that it is still the same file. Otherwise the file is read
    again from its begin, and what was read before must be there again.

    Args:
        request: sends the request with these headers and returns its response, or raises
            IndexingError
        retry_policy: of lost connections and failures that may pass; it begins anew with every
            piece that was read
        expected: what the file must be

    """

    def __init__(
        self,
        request: Callable[[Mapping[str, str]], httpx.Response],
        retry_policy: RetryPolicy,
        expected: ExpectedFile,
    ) -> None:
        self._request = request
        self._retry_policy = retry_policy
        self._expected = expected
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._etag: str | None = None
        self._rest = memoryview(b"")
        self._consumed = 0
        self._received = 0
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:  # codespell:ignore tell
        """Return how many bytes were read."""
        return self._consumed

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill `buffer` as far as the body goes, so that a peek sees more than one byte."""
        filled = 0
        while filled < len(buffer) and (self._rest or self._next_chunk()):
            count = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        self._consumed += filled
        return filled

    def close(self) -> None:
        """Give the connection back."""
        self._drop()
        super().close()

    def _next_chunk(self) -> bool:
        chunk = self._retry_policy.call(self._receive)
        self._received += len(chunk)
        self._digest.update(chunk)
        self._check(ended=not chunk)
        self._rest = memoryview(chunk)
        return len(chunk) > 0

    def _check(self, *, ended: bool) -> None:
        expected = self._expected
        if self._received > expected.max_bytes:
            raise too_large(expected.location, expected.max_bytes)
        if ended and expected.sha256 not in (None, self._digest.hexdigest()):
            raise _changed(
                f"{expected.location}: the SHA-256 is {self._digest.hexdigest()}, expected"
                f" {expected.sha256}; correct spec.dataset.http.sha256 or the file"
            )

    def _receive(self) -> bytes:
        if self._response is None:
            self._connect()
        return self._read()

    def _read(self) -> bytes:
        try:
            return next(self._chunks, b"")
        except httpx.TransportError as error:
            self._drop()
            raise _lost(self._expected.location, error, self._received) from error

    def _connect(self) -> None:
        is_range = self._received > 0 and self._etag is not None
        headers = {"Range": f"bytes={self._received}-", "If-Range": self._etag or ""}
        response = self._request(headers if is_range else {})
        self._response, self._chunks = response, response.iter_raw()
        _refuse_encoding(response, self._expected.location)
        status = response.status_code
        if status == httpx.codes.OK:
            self._skip_received()
        elif not (is_range and _begins_at(response, self._received)):
            self._drop()
            self._etag = None  # the server cannot do it: the next attempt reads from the begin
            problem = f"HTTP {status} to a request for the rest"
            raise _lost(self._expected.location, problem, self._received)
        self._etag = _strong_etag(response)

    def _skip_received(self) -> None:
        """Read what was read before, and check that it is the same."""
        digest, left = hashlib.sha256(), self._received
        while left > 0 and (chunk := self._read()):
            digest.update(chunk[:left])
            rest, left = chunk[left:], left - len(chunk)
            if left < 0:
                self._chunks = _prepend(rest, self._chunks)
        if digest.digest() != self._digest.digest():
            raise _changed(
                f"{self._expected.location}: the file was changed while it was read; create the"
                " benchmark again when the file stays as it is"
            )

    def _drop(self) -> None:
        if self._response is not None:
            self._response.close()
            self._response = None


def _prepend(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from others


def _strong_etag(response: httpx.Response) -> str | None:
    etag: str | None = response.headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else None


def _begins_at(response: httpx.Response, offset: int) -> bool:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    is_partial = response.status_code == httpx.codes.PARTIAL_CONTENT
    return is_partial and found is not None and int(found[1]) == offset


def _refuse_encoding(response: httpx.Response, location: str) -> None:
    encoding = response.headers.get("Content-Encoding", "").lower()
    if encoding not in _PACKED:
        raise IndexingError(
            IndexingReason.DATASET_UNREACHABLE,
            f"{location}: the server compresses the file ({encoding[:40]}), though it was not asked"
            " to; let it send the file as it is, or compressed with gzip",
            permanent=True,
        )


def _changed(message: str) -> IndexingError:
    return IndexingError(IndexingReason.DATASET_CHANGED, message, permanent=True)


def _lost(location: str, problem: object, received: int) -> IndexingError:
    text = str(problem) or type(problem).__name__
    return IndexingError(
        IndexingReason.DATASET_UNREACHABLE,
        f"{location}: connection lost after {received} bytes: {text}; check the server",
        permanent=False,
    )
