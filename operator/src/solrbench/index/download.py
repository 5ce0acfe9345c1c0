"""Files over HTTP, streamed, that go on where a connection was lost.

The next request asks for the rest by a range under the same ETag. A server that cannot do that
sends the whole file, of which the part that was read before must be the same: a changed file ends
the run instead of mixing two versions.
"""

import hashlib
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import PurePosixPath

import httpx2 as httpx

from solrbench.api.v1alpha1.dataset import Http
from solrbench.decide.references import PROXY_FIELD, URLS_FIELD
from solrbench.errors import PermanentError, format_error
from solrbench.index.download_rules import DownloadRules, read_headers, read_trust
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import BUFFER_BYTES, DataFile, too_large
from solrbench.net.deadline import DEADLINE, DeadlineTransport
from solrbench.reasons.data import IndexingReason

_PACKED = frozenset({"", "identity", "gzip", "x-gzip"})


class ResumableBody(io.RawIOBase):
    """A file over HTTP that goes on after a lost connection, or raises IndexingError.

    `request` sends a request with these headers and returns its response. The retry policy begins
    anew with every piece that was read. `sha256` is what the file must have, in hexadecimal digits.
    """

    def __init__(
        self,
        request: Callable[[Mapping[str, str]], httpx.Response],
        retry_policy: RetryPolicy,
        location: str,
        max_bytes: int,
        sha256: str | None = None,
    ) -> None:
        self._request = request
        self._retry_policy = retry_policy
        self._location = location
        self._max_bytes = max_bytes
        self._sha256 = sha256
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._etag: str | None = None
        self._rest = memoryview(b"")
        self._received = 0
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill `buffer` as far as the body goes, so that a peek sees more than one byte."""
        filled = 0
        while filled < len(buffer) and (self._rest or self._next_chunk()):
            count = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        return filled

    def close(self) -> None:
        """Give the connection back."""
        self._drop()
        super().close()

    def _next_chunk(self) -> bool:
        chunk = self._retry_policy.call(self._receive)
        self._received += len(chunk)
        self._digest.update(chunk)
        if self._received > self._max_bytes:
            raise too_large(self._location, self._max_bytes)
        if not chunk and self._sha256 not in (None, self._digest.hexdigest()):
            raise _changed(
                f"{self._location}: the SHA-256 is {self._digest.hexdigest()}, expected"
                f" {self._sha256}; correct spec.dataset.http.sha256 or the file"
            )
        self._rest = memoryview(chunk)
        return len(chunk) > 0

    def _receive(self) -> bytes:
        if self._response is None:
            self._connect()
        return self._read()

    def _read(self) -> bytes:
        try:
            return next(self._chunks, b"")
        except httpx.TransportError as error:
            self._drop()
            raise _lost(self._location, format_error(error), self._received) from error

    def _connect(self) -> None:
        # A range (RFC 9110, section 14) only under a strong entity tag: it is of the same file.
        is_range = self._received > 0 and self._etag is not None
        headers = {"Range": f"bytes={self._received}-", "If-Range": self._etag or ""}
        response = self._request(headers if is_range else {})
        self._response, self._chunks = response, response.iter_raw()
        encoding = response.headers.get("Content-Encoding", "").lower()
        if encoding not in _PACKED:
            raise IndexingError(
                IndexingReason.DATASET_UNREACHABLE,
                f"{self._location}: the server compresses the file ({encoding[:40]}),"
                " though it was not asked to; let it send the file as it is, or compressed with"
                " gzip",
                permanent=True,
            )
        status = response.status_code
        # A server may send another range than the one it was asked for.
        content_range = response.headers.get("Content-Range", "")
        is_rest = content_range.startswith(f"bytes {self._received}-")
        if status == httpx.codes.OK:
            self._skip_received()
        elif not (is_range and status == httpx.codes.PARTIAL_CONTENT and is_rest):
            self._drop()
            self._etag = None  # the server cannot do it: the next attempt reads from the begin
            problem = f"HTTP {status} to a request for the rest"
            raise _lost(self._location, problem, self._received)
        etag = response.headers.get("ETag", "")
        self._etag = None if not etag or etag.startswith("W/") else etag

    def _skip_received(self) -> None:
        """Read what was read before, and check that it is the same."""
        digest, left = hashlib.sha256(), self._received
        while left > 0 and (chunk := self._read()):
            digest.update(chunk[:left])
            rest, left = chunk[left:], left - len(chunk)
            if left < 0:
                self._chunks = chain([rest], self._chunks)
        if digest.digest() != self._digest.digest():
            raise _changed(
                f"{self._location}: the file was changed while it was read; create the"
                " benchmark again when the file stays as it is"
            )

    def _drop(self) -> None:
        if self._response is not None:
            self._response.close()
            self._response = None


def _changed(message: str) -> IndexingError:
    return IndexingError(IndexingReason.DATASET_CHANGED, message, permanent=True)


def _lost(location: str, problem: str, received: int) -> IndexingError:
    message = f"{location}: connection lost after {received} bytes: {problem}; check the server"
    return IndexingError(IndexingReason.DATASET_UNREACHABLE, message, permanent=False)


_REDIRECTS = 5
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_GONE = frozenset({404, 410})
# Timeout, too early (a replayed TLS request) and too many requests; the server says: later.
_MAY_PASS = frozenset({408, 425, 429})


class Downloader:
    """Opens URLs, again after a lost connection, 429 or 5xx as its retry policy says.

    It raises `IndexingError` if credentials or certificates are missing, or a proxy is not allowed.
    """

    def __init__(self, http: Http, retry_policy: RetryPolicy, rules: DownloadRules) -> None:
        self._http = http
        self._retry_policy = retry_policy
        self._rules = rules
        self._credentials = read_headers(http, rules)
        self._deadline = time.monotonic() + rules.seconds
        trust, proxy = read_trust(http, rules), http.proxy_url
        if proxy is not None:
            try:
                rules.check_url(httpx.URL(proxy), PROXY_FIELD)
            except PermanentError as error:
                raise IndexingError(error.reason, error.message, permanent=True) from error
        self._client = httpx.Client(
            transport=DeadlineTransport(trust, rules.check_addresses, proxy),
            timeout=_TIMEOUT,
            # A range is of the bytes as they are sent, which compression may change each time.
            headers={"Accept-Encoding": "identity"},
            trust_env=False,
        )

    def files(self) -> list[DataFile]:
        """Return the file behind each URL."""
        digests: Sequence[str | None] = self._http.sha256 or [None] * len(self._http.urls)
        return [
            self._file(httpx.URL(url), sha256)
            for url, sha256 in zip(self._http.urls, digests, strict=True)
        ]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _file(self, url: httpx.URL, sha256: str | None) -> DataFile:
        location, most = _shown(url), self._http.max_gibibytes << 30

        def opened() -> io.BufferedReader:
            request = partial(self._open, url)
            body = ResumableBody(request, self._retry_policy, location, most, sha256)
            return io.BufferedReader(body, BUFFER_BYTES)

        name = PurePosixPath(url.path).name or url.host
        return DataFile(name, location, opened, most)

    def _open(self, url: httpx.URL, headers: Mapping[str, str]) -> httpx.Response:
        if time.monotonic() > self._deadline:
            raise _unreachable(
                url,
                f"not downloaded within {self._rules.seconds:g} s",
                "raise spec.deadlines.indexingSeconds",
                permanent=True,
            )
        try:
            return self._follow(url, headers)
        except PermanentError as error:
            raise IndexingError(error.reason, error.message, permanent=True) from error
        except httpx.TransportError as error:
            raise _unreachable(url, format_error(error)) from error

    def _follow(self, url: httpx.URL, headers: Mapping[str, str]) -> httpx.Response:
        """Send a request, and one for each redirect; PermanentError is `HostNotAllowed`."""
        location = url
        for _ in range(_REDIRECTS + 1):
            self._rules.check_url(location)
            # Credentials stay with their server; signed URLs of object storage refuse them, too.
            own = self._credentials if _is_same_server(url, location) else {}
            request = self._client.build_request(
                "GET",
                location,
                headers={**headers, **own},
                extensions={DEADLINE: self._deadline, "timeout": _TIMEOUT.as_dict()},
            )
            response = self._client.send(request, stream=True)
            if response.next_request is None:
                status = response.status_code
                # 416: the reader of the body then begins anew, without a range.
                if response.is_success or status == httpx.codes.RANGE_NOT_SATISFIABLE:
                    return response
                response.close()
                if status in _GONE:
                    where = f"{_shown(url)} (HTTP {status})"
                    raise IndexingError.not_found(where, f"correct {URLS_FIELD}")
                permanent = status < 500 and status not in _MAY_PASS
                raise _unreachable(url, f"HTTP {status}", permanent=permanent)
            response.close()
            before, location = location, response.next_request.url
            check_redirect(url, before, location)
        raise _unreachable(url, f"more than {_REDIRECTS} redirects", permanent=True)


def _is_same_server(url: httpx.URL, place: httpx.URL) -> bool:
    """Return whether a redirect stays on the host and port of a URL, or only changes to https."""
    same_port = (url.scheme, url.port) == (place.scheme, place.port)
    is_upgrade = (url.scheme, url.port, place.scheme, place.port) == ("http", None, "https", None)
    return url.host == place.host and (same_port or is_upgrade)


def check_redirect(url: httpx.URL, before: httpx.URL, place: httpx.URL) -> None:
    """Check a redirect of a URL: `IndexingError` if it leaves https, or HTTP altogether."""
    if place.scheme not in ("http", "https") or (before.scheme, place.scheme) == ("https", "http"):
        raise _unreachable(
            url,
            f"redirects from {before.scheme} to {place.scheme[:20]}, {place.host}",
            f"put a final URL with https into {URLS_FIELD}",
            permanent=True,
        )


def _unreachable(
    url: httpx.URL,
    problem: str,
    remedy: str = f"check {URLS_FIELD} from inside the cluster",
    *,
    permanent: bool = False,
) -> IndexingError:
    message = f"{_shown(url)}: {problem}; {remedy}"
    return IndexingError(IndexingReason.DATASET_UNREACHABLE, message, permanent=permanent)


def _shown(url: httpx.URL) -> str:
    """Return the URL without what may be secret: user, password and query."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))
