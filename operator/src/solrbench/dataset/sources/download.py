"""Files over HTTP, streamed."""

import io
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

import httpx

from solrbench.api.v1alpha1.download import Http
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.download_body import CHUNK_BYTES, ExpectedFile, ResumableBody
from solrbench.dataset.sources.download_rules import DownloadRules, read_headers, read_trust
from solrbench.dataset.sources.files import DataFile
from solrbench.decide.checks.downloads import URLS_FIELD
from solrbench.errors import PermanentError
from solrbench.net.deadline_transport import DEADLINE, DeadlineTransport
from solrbench.reasons.indexing import IndexingReason

_REDIRECTS = 5
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_GONE = frozenset({404, 410})
_MAY_PASS = frozenset({408, 425, 429})


class Downloader:
    """Opens URLs, again after a lost connection, 429 or 5xx as its retry policy says.

    Args:
        http: the files
        retry_policy: how often, and after which waits
        rules: which hosts and addresses, with which credentials

    Raises:
        IndexingError: if credentials or certificates are missing.

    """

    def __init__(self, http: Http, retry_policy: RetryPolicy, rules: DownloadRules) -> None:
        self._http = http
        self._retry_policy = retry_policy
        self._rules = rules
        self._credentials = read_headers(http, rules)
        self._deadline = time.monotonic() + rules.seconds
        trust, proxy = read_trust(http, rules), http.proxy_url
        self._client = httpx.Client(
            transport=DeadlineTransport(trust, rules.check_addresses, proxy),
            timeout=_TIMEOUT,
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
        most = self._http.max_gibibytes << 30
        expected = ExpectedFile(_shown(url), most, sha256)

        def opened() -> io.BufferedReader:
            body = ResumableBody(partial(self._open, url), self._retry_policy, expected)
            return io.BufferedReader(body, CHUNK_BYTES)

        name = PurePosixPath(url.path).name or url.host
        return DataFile(name, expected.location, opened, most)

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
            raise _unreachable(url, str(error) or type(error).__name__) from error

    def _follow(self, url: httpx.URL, headers: Mapping[str, str]) -> httpx.Response:
        """Send a request, and one for each redirect.

        Raises:
            PermanentError: `HostNotAllowed`.

        """
        place = url
        for _ in range(_REDIRECTS + 1):
            self._rules.check_url(place)
            own = self._credentials if _is_same_server(url, place) else {}
            response = self._client.send(
                self._client.build_request(
                    "GET", place, headers={**headers, **own}, extensions=self._extensions()
                ),
                stream=True,
            )
            if response.next_request is None:
                return _checked(url, response)
            response.close()
            before, place = place, response.next_request.url
            check_redirect(url, before, place)
        raise _unreachable(url, f"more than {_REDIRECTS} redirects", permanent=True)

    def _extensions(self) -> dict[str, object]:
        return {DEADLINE: self._deadline, "timeout": _TIMEOUT.as_dict()}


def _is_same_server(url: httpx.URL, place: httpx.URL) -> bool:
    """Return whether a redirect stays on the host and port of a URL, or only changes to https."""
    same_port = (url.scheme, url.port) == (place.scheme, place.port)
    is_upgrade = (url.scheme, url.port, place.scheme, place.port) == ("http", None, "https", None)
    return url.host == place.host and (same_port or is_upgrade)


def check_redirect(url: httpx.URL, before: httpx.URL, place: httpx.URL) -> None:
    """Check where a request for a URL is redirected to.

    Raises:
        IndexingError: if it leaves https, or HTTP altogether.

    """
    if place.scheme not in ("http", "https") or (before.scheme, place.scheme) == ("https", "http"):
        raise _unreachable(
            url,
            f"redirects from {before.scheme} to {place.scheme[:20]}, {place.host}",
            f"put a final URL with https into {URLS_FIELD}",
            permanent=True,
        )


def _checked(url: httpx.URL, response: httpx.Response) -> httpx.Response:
    status = response.status_code
    if response.is_success or status == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
        return response
    response.close()
    if status in _GONE:
        raise IndexingError.not_found(f"{_shown(url)} (HTTP {status})", f"correct {URLS_FIELD}")
    permanent = status < 500 and status not in _MAY_PASS
    raise _unreachable(url, f"HTTP {status}", permanent=permanent)


def _unreachable(
    url: httpx.URL,
    problem: str,
    remedy: str = f"check {URLS_FIELD} from inside the cluster",
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
