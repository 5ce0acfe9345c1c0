"""Requests to the API server, and the errors of its responses."""

import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import orjson

from solrbench.cluster.client.api_errors import ApiStatusError, wrap_api_errors
from solrbench.cluster.client.credentials import auth_of, run_program
from solrbench.cluster.client.kubeconfig import ClusterAccess
from solrbench.cluster.client.tls import tls_context

CONNECTIONS = 32
"""Kept open, one for each thread that reconciles."""
TIMEOUT_SECONDS = 20.0
JSON = "application/json"

_REPEATABLE = ("GET", "PUT", "DELETE")
"""Sent again when the server closed a kept connection at that moment."""

Query = Mapping[str, str | int | bool | None]


class Connection(Protocol):
    """Sends requests to one API server; safe for threads."""

    @property
    def server(self) -> str:
        """The URL of the API server."""

    @property
    def host(self) -> str:
        """The host in that URL."""

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

    def lines(self, action: str, path: str, query: Query, seconds: float | None) -> Iterator[bytes]:
        """Yield the lines of a response as they come; errors as those of `send`."""


class ApiConnection:
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
        content = None if body is None else orjson.dumps(body)
        headers = {"Accept": accept} | ({} if body is None else {"Content-Type": content_type})
        with wrap_api_errors(action):
            request = self._request(method, path, query, httpx.Timeout(seconds), headers, content)
            try:
                response = self._http.send(request)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                if method not in _REPEATABLE:
                    raise
                response = self._http.send(request)
            if response.is_error:
                raise ApiStatusError(response.status_code, response.content)
            return response.content

    def lines(self, action: str, path: str, query: Query, seconds: float | None) -> Iterator[bytes]:
        """Yield the lines of a response as they come.

        Args:
            action: what is done, for errors
            path: with its group
            query: of the request
            seconds: without a line after which the connection is given up; `None` for ever

        Raises:
            SolrbenchError: as `send`.

        """
        timeout = httpx.Timeout(TIMEOUT_SECONDS, read=seconds)
        request = self._request("GET", path, query, timeout, {"Accept": JSON}, None)
        with wrap_api_errors(action):
            response = self._http.send(request, stream=True)
            try:
                if response.is_error:
                    raise ApiStatusError(response.status_code, response.read())
                yield from split_lines(response.iter_bytes())
            finally:
                response.close()

    def _request(  # noqa: PLR0913, PLR0917 - the same
        self,
        method: str,
        path: str,
        query: Query | None,
        timeout: httpx.Timeout,
        headers: dict[str, str],
        content: bytes | None,
    ) -> httpx.Request:
        present = {key: value for key, value in (query or {}).items() if value is not None}
        return self._http.build_request(
            method,
            path,
            params=present,
            headers=headers,
            content=content,
            timeout=timeout,
            extensions=self._extensions,
        )


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
        NoClusterError: if credentials cannot be had.

    """
    credential = run_program(access) if access.user.get("exec") else None
    http = httpx.Client(
        base_url=access.server,
        verify=tls_context(access, credential),
        auth=auth_of(access, credential),
        proxy=access.cluster.get("proxy-url"),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=CONNECTIONS),
    )
    return ApiConnection(http, access.cluster.get("tls-server-name"))
