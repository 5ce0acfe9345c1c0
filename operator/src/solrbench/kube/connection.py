"""Requests to the API server, and the errors of its responses."""

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from solrbench.cluster.client.api_errors import ApiStatusError, wrap_api_errors
from solrbench.cluster.client.credentials import auth_of, run_program
from solrbench.cluster.client.kubeconfig import ClusterAccess, NoClusterError
from solrbench.cluster.client.tls import tls_context

CONNECTIONS = 32
"""Kept open, one for each thread that reconciles."""
TIMEOUT_SECONDS = 20.0
JSON = "application/json"

_REPEATABLE = ("GET", "PUT", "DELETE")
"""Sent again when the server closed a kept connection at that moment."""

_FIRST_ERROR = 400
"""Lowest status of HTTP with which a server refuses a request."""

Query = Mapping[str, str | int | bool | None]


class Connection(ABC):
    """Sends requests to one API server; safe for threads."""

    @property
    @abstractmethod
    def server(self) -> str:
        """The URL of the API server."""

    @property
    def host(self) -> str:
        """The host in that URL."""
        return urlsplit(self.server).hostname or ""

    def send(  # noqa: PLR0913 - what HTTP requests have
        self,
        action: str,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        content_type: str = JSON,
        accept: str = JSON,
        seconds: float = TIMEOUT_SECONDS,
    ) -> bytes:
        """Return the body of the response.

        Raises:
            SolrbenchError: if there is none, or the server refuses; begins with `action`.

        """
        headers = {"Accept": accept} | ({} if body is None else {"Content-Type": content_type})
        request = Request(method, path, _present(query or {}), headers, body)
        with wrap_api_errors(action):
            status, content = self.exchange(request, seconds)
            if status >= _FIRST_ERROR:
                raise ApiStatusError(status, content)
            return content

    def lines(  # noqa: PLR0913 - what HTTP requests have
        self,
        action: str,
        path: str,
        query: Query,
        seconds: float | None,
        *,
        accept: str = JSON,
        on_open: Callable[[], None] = lambda: None,
    ) -> Iterator[bytes]:
        """Yield the lines of a response as they come.

        Args:
            action: what is done, for errors
            path: with its group
            query: of the request
            seconds: without a line after which the connection is given up; `None` for ever
            accept: media type of the response
            on_open: called when the server begins its response

        Raises:
            SolrbenchError: as `send`.

        """
        request = Request("GET", path, _present(query), {"Accept": accept}, None)
        with wrap_api_errors(action), self.stream(request, seconds) as (status, parts):
            if status >= _FIRST_ERROR:
                raise ApiStatusError(status, b"".join(parts))
            on_open()
            yield from split_lines(parts)

    @abstractmethod
    def exchange(self, request: "Request", seconds: float) -> tuple[int, bytes]:
        """Return the status of HTTP and the body of the response.

        Raises:
            OSError: if there is no response; or an error of httpx.

        """

    @abstractmethod
    def stream(
        self, request: "Request", seconds: float | None
    ) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """Open a response whose body comes in parts, no more than `seconds` apart.

        Raises:
            OSError: if there is no response; or an error of httpx.

        """


@dataclass(frozen=True)
class Request:
    """A request to the API server.

    Attributes:
        method: of HTTP
        path: with its group
        query: what is in its URL
        headers: those of its content
        body: what becomes JSON; `None` for none

    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


class ApiConnection(Connection):
    """Sends requests to one API server by httpx; safe for threads.

    Args:
        http: with the server's URL, credentials and trust
        sni_hostname: name that the server's certificate must have, if not that of its URL

    """

    def __init__(self, http: httpx.Client, sni_hostname: str | None = None) -> None:
        self._http = http
        weakref.finalize(self, http.close)  # no user of a client needs to close it
        self._extensions = {} if sni_hostname is None else {"sni_hostname": sni_hostname}

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return str(self._http.base_url).rstrip("/")

    def exchange(self, request: Request, seconds: float) -> tuple[int, bytes]:
        """Send a request, again if the server closed the kept connection at that moment."""
        built = self._build(request, httpx.Timeout(seconds))
        try:
            response = self._http.send(built)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if request.method not in _REPEATABLE:
                raise
            response = self._http.send(built)
        return response.status_code, response.content

    @contextmanager
    def stream(
        self, request: Request, seconds: float | None
    ) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Open a response and close it at the end of the block."""
        built = self._build(request, httpx.Timeout(TIMEOUT_SECONDS, read=seconds))
        response = self._http.send(built, stream=True)
        try:
            yield response.status_code, response.iter_bytes()
        finally:
            response.close()

    def _build(self, request: Request, timeout: httpx.Timeout) -> httpx.Request:
        return self._http.build_request(
            request.method,
            request.path,
            params=dict(request.query),
            headers=dict(request.headers),
            content=None if request.body is None else orjson.dumps(request.body),
            timeout=timeout,
            extensions=self._extensions,
        )


def _present(query: Query) -> dict[str, str]:
    return {key: _text(value) for key, value in query.items() if value is not None}


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text that comes in parts, as soon as each is whole."""
    rest = b""
    for part in parts:
        *complete, rest = (rest + part).split(b"\n")
        yield from complete
    if rest:
        yield rest


def open_connection(access: ClusterAccess) -> ApiConnection:
    """Return a connection to a cluster; nothing is sent yet.

    Raises:
        NoClusterError: if credentials cannot be had, or a proxy cannot be used.

    """
    credential = run_program(access) if access.user.get("exec") else None
    verify, auth = tls_context(access, credential), auth_of(access, credential)
    try:
        http = httpx.Client(
            base_url=access.server,
            verify=verify,
            auth=auth,
            proxy=access.cluster.get("proxy-url"),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=CONNECTIONS),
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise NoClusterError(
            "the proxy of HTTPS_PROXY, ALL_PROXY or proxy-url in the kubeconfig cannot be used:"
            f" {str(error).split('. ')[0]}; give one as http://HOST:PORT"
        ) from error
    return ApiConnection(http, access.cluster.get("tls-server-name"))
