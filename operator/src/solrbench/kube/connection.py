"""Requests to the API server over a trusted connection, and the errors of its responses as ours.

Nothing but this client may connect to the API server's addresses.
"""

import math
import ssl
import tempfile
import time
import weakref
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.kube.kubeconfig import (
    ClusterAccess,
    Credential,
    Entry,
    NoClusterError,
    auth_of,
    run_program,
)
from solrbench.reasons.end import ApiServerReason

_MAX_CHARACTERS = 1000


class ApiStatusError(Exception):
    """The API server refused a request; becomes one of the others.

    Attributes:
        status: of HTTP
        message: what the server says about it
    """

    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.message = _message(body) or f"HTTP status {status}"
        super().__init__(self.message)


class UnreachableError(TemporaryError):
    """The API server sent no response."""


class UnauthorizedError(TemporaryError):
    """The API server does not know the user; a token may be renewed any moment."""


class ForbiddenError(TemporaryError):
    """The user may not do that; a role may be bound any moment."""


class ExpiredError(TemporaryError):
    """The API server has forgotten the version from which to watch."""


class KindNotServedError(TemporaryError):
    """The API server does not know the kind; its definition may be installed any moment."""


class NotFoundError(TemporaryError):
    """There is no such object."""


_BY_STATUS: dict[int, tuple[type[TemporaryError], ApiServerReason]] = {
    401: (UnauthorizedError, ApiServerReason.API_UNREACHABLE),
    403: (ForbiddenError, ApiServerReason.API_REFUSED),
    404: (NotFoundError, ApiServerReason.NOT_FOUND),
    409: (ConflictError, ApiServerReason.CONFLICT),
    410: (ExpiredError, ApiServerReason.API_UNREACHABLE),
}


@contextmanager
def wrap_api_errors(action: str) -> Iterator[None]:
    """Turn the client's errors into ours; the API being away is never the benchmark's fault."""
    try:
        yield
    except ApiStatusError as error:
        raise error_for(error.status, f"{action}: {error.message}") from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        text = str(error) or type(error).__name__
        raise UnreachableError(ApiServerReason.API_UNREACHABLE, f"{action}: {text}") from error


def error_for(status: int, text: str) -> TemporaryError | PermanentError:
    """Return what a status of HTTP means for who sent the request."""
    if status in _BY_STATUS:
        error, reason = _BY_STATUS[status]
        return error(reason, text)
    # etcd's limit is a server error, though another attempt cannot succeed.
    if status in (400, 413, 422) or "request is too large" in text or "larger than max" in text:
        return PermanentError(ApiServerReason.MANIFEST_REJECTED, text)
    return TemporaryError(ApiServerReason.API_UNREACHABLE, text)


def _message(body: bytes) -> str:
    """Return the message of a `Status`, or the text of any other body, in its first characters."""
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace").strip()[:_MAX_CHARACTERS]
    if not isinstance(status, dict) or not status.get("message"):
        return body.decode("utf-8", "replace")[:_MAX_CHARACTERS] if status else ""
    return str(status["message"])[:_MAX_CHARACTERS] + _causes(status)


def _causes(status: dict[str, Any]) -> str:
    """Return what the message leaves out of its causes."""
    causes = (status.get("details") or {}).get("causes") or []
    message = str(status["message"])
    missing = [
        f"{cause.get('field', '')}: {cause['message']}".removeprefix(": ")
        for cause in causes
        if cause.get("message") and cause["message"] not in message
    ]
    text = "; ".join(missing)[:_MAX_CHARACTERS]
    return f" ({text})" if text else ""


HOSTS_SECONDS = 60.0
"""How long they are taken as known: every connection is checked."""


class ServerHosts:
    """The hosts of an API server: `own`, where a client finds it, and where it says it is.

    The second is the address behind the Service; every authenticated client may read it.
    `read_versions` returns the JSON that the API server has at `/api`.
    """

    def __init__(self, own: str | None, read_versions: Callable[[], bytes]) -> None:
        self._own = own
        self._read_versions = read_versions
        self._known: list[str] = []
        self._until = -math.inf

    def get(self) -> list[str]:
        """Return the hosts; they are read anew after `HOSTS_SECONDS`."""
        now = time.monotonic()
        if now >= self._until:
            self._known, self._until = self._read(), now + HOSTS_SECONDS
        return self._known

    def _read(self) -> list[str]:
        addresses = orjson.loads(self._read_versions()).get("serverAddressByClientCIDRs") or []
        hosts = [urlsplit(f"//{address['serverAddress']}").hostname for address in addresses]
        return [host for host in (self._own, *hosts) if host]


def tls_context(access: ClusterAccess, credential: Credential | None) -> ssl.SSLContext:
    """Return how connections to the API server are secured.

    Raises:
        NoClusterError: if a certificate or key cannot be read.
    """
    try:
        context = _trust(access)
        certificate = _certificate_text(access.user, "client-certificate")
        key = _certificate_text(access.user, "client-key")
        if credential is not None and credential.get("clientCertificateData"):
            certificate = credential["clientCertificateData"]
            key = credential.get("clientKeyData")
        if certificate and key:
            _show(context, certificate, key)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise NoClusterError(
            f"a certificate of the kubeconfig cannot be used: {error}; correct it"
        ) from error
    return context


def _trust(access: ClusterAccess) -> ssl.SSLContext:
    cluster = access.cluster
    if access.server.startswith("http:"):
        # Nothing is secured, and reading the authorities of the system takes 20 ms.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context(cadata=_certificate_text(cluster, "certificate-authority"))
    # From Python 3.13 on, authorities without a key identifier are refused: those of many clusters.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _certificate_text(entry: Entry, name: str) -> str | None:
    """Return what stands under a name, or in the file that it names."""
    if entry.get(f"{name}-data"):
        text = "".join(str(entry[f"{name}-data"]).split())  # Go ignores the ends of lines, too
        return b64decode(text, validate=True).decode("utf-8")
    return Path(entry[name]).read_text("utf-8") if entry.get(name) else None


def _show(context: ssl.SSLContext, certificate: str, key: str) -> None:
    # The library takes files only. The folder is the user's alone, and gone at once.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "client.pem"
        file.write_text(f"{certificate}\n{key}\n", "utf-8")
        context.load_cert_chain(file)


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
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in query.items()
        if value is not None
    }


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
