"""Requests to the API server over a trusted connection, and the errors of its responses as ours.

Nothing but this client may connect to the API server's addresses.
"""

import ssl
import tempfile
import weakref
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import orjson

from solrbench.contract.foreign import ForeignDataError, limit_bytes
from solrbench.errors import ConflictError, PermanentError, TemporaryError, format_error
from solrbench.kube.kubeconfig import (
    ClusterAccess,
    Credential,
    Entry,
    NoClusterError,
    auth_of,
    impersonation_headers,
    run_program,
)
from solrbench.reasons.end import ApiServerReason

# Messages end up in conditions of a status, and may quote what is refused of a manifest.
_MAX_CHARACTERS = 1000


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


class UnreadableError(TemporaryError):
    """The response is no JSON, or more than its reader takes."""


_BY_STATUS: dict[int, tuple[type[TemporaryError], ApiServerReason]] = {
    401: (UnauthorizedError, ApiServerReason.API_UNREACHABLE),
    403: (ForbiddenError, ApiServerReason.API_REFUSED),
    404: (NotFoundError, ApiServerReason.NOT_FOUND),
    409: (ConflictError, ApiServerReason.CONFLICT),
    410: (ExpiredError, ApiServerReason.API_UNREACHABLE),
}


def error_for(status: int, text: str) -> TemporaryError | PermanentError:
    """Return the error that a status of HTTP means for the caller."""
    if status in _BY_STATUS:
        error, reason = _BY_STATUS[status]
        return error(reason, text)
    # etcd's limit of 1.5 MiB is a server error (500), though another attempt cannot succeed.
    if status in (400, 413, 422) or "request is too large" in text or "larger than max" in text:
        return PermanentError(ApiServerReason.MANIFEST_REJECTED, text)
    # The API server being away or overloaded (429, 5xx) is never the benchmark's fault.
    return TemporaryError(ApiServerReason.API_UNREACHABLE, text)


def _message(http_status: int, body: bytes) -> str:
    """Return the message of a `Status` with the causes it leaves out, or any other body's text."""
    text = body.decode("utf-8", "replace").strip()[:_MAX_CHARACTERS]
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:  # a proxy in front of the API server responds in HTML or text
        return text or f"HTTP status {http_status}"
    if not isinstance(status, dict) or not status.get("message"):
        return text if status else f"HTTP status {http_status}"
    message = str(status["message"])
    missing = "; ".join(
        f"{cause.get('field', '')}: {cause['message']}".removeprefix(": ")
        for cause in (status.get("details") or {}).get("causes") or []
        # Most messages quote their causes already.
        if cause.get("message") and cause["message"] not in message
    )[:_MAX_CHARACTERS]
    return message[:_MAX_CHARACTERS] + (f" ({missing})" if missing else "")


def tls_context(access: ClusterAccess, credential: Credential | None) -> ssl.SSLContext:
    """Return how connections to the API server are secured.

    It raises `NoClusterError` if a certificate or key cannot be read.
    """
    try:
        context = _trust(access)
        certificate = _certificate_text(access.user, "client-certificate")
        key = _certificate_text(access.user, "client-key")
        # What the user's program gives comes before the entries of the file, as with kubectl.
        if credential is not None and credential.get("clientCertificateData"):
            certificate = credential["clientCertificateData"]
            key = credential.get("clientKeyData")
        if certificate and key:
            # The library takes files only. The folder is the user's alone, and gone at once.
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "client.pem"
                file.write_text(f"{certificate}\n{key}\n", "utf-8")
                context.load_cert_chain(file)
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
    """Return what stands under a name, or in the file that it names; of both, kubectl's choice.

    Python refuses letters beyond ASCII, which only comments have.
    """
    if entry.get(f"{name}-data"):
        text = "".join(str(entry[f"{name}-data"]).split())  # Go ignores the ends of lines, too
        return b64decode(text, validate=True).decode("ascii", "ignore")
    return Path(entry[name]).read_text("ascii", "ignore") if entry.get(name) else None


CONNECTIONS = 32
"""Kept open, one for each thread that reconciles."""
TIMEOUT_SECONDS = 20.0
JSON = "application/json"

_REPEATABLE = ("GET", "PUT", "DELETE")
"""Methods that may have taken effect and may still be sent again; a POST could create twice."""

Query = Mapping[str, str | int | bool | None]


class Connection(ABC):
    """Sends requests to one API server; safe for threads."""

    server: str
    """The URL of the API server."""
    errors: tuple[type[Exception], ...] = (OSError,)
    """What is raised where there is no response."""
    closed: tuple[type[Exception], ...] = ()
    """Those of the errors by which the server closed a kept connection."""
    seconds_ahead = 0.0
    """Of the API server's clock, by its last response; 0 where it is not noted."""

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
        max_bytes: int | None = None,
    ) -> bytes:
        """Return the body of the response.

        It raises `SolrbenchError` if there is none, or the server refuses; it begins with `action`.
        A body of more than `max_bytes` is an `UnreadableError`, and no more of it is read.
        """
        headers = {"Accept": accept} | ({} if body is None else {"Content-Type": content_type})
        request = Request(method, path, _present(query or {}), headers, body)
        with self._as_unreachable(action):
            try:
                status, content = self._exchange(request, seconds, max_bytes)
            # A server may close an idle connection of the pool in the moment it is used again.
            except self.closed:
                if method not in _REPEATABLE:
                    raise
                status, content = self._exchange(request, seconds, max_bytes)
        if status >= 400:
            raise error_for(status, f"{action}: {_message(status, content)}")
        return content

    def _exchange(
        self, request: "Request", seconds: float, max_bytes: int | None
    ) -> tuple[int, bytes]:
        if max_bytes is None:
            return self.exchange(request, seconds)
        with self.stream(request, seconds) as (status, parts):
            return status, b"".join(limit_bytes(parts, max_bytes))

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
        """Yield the lines of a response, each as soon as it is whole; errors are those of `send`.

        A connection without a line for `seconds` is given up, with `None` never. `on_open` is
        called when the server begins its response.
        """
        request = Request("GET", path, _present(query), {"Accept": accept}, None)
        with self._as_unreachable(action), self.stream(request, seconds) as (status, parts):
            if status >= 400:
                raise error_for(status, f"{action}: {_message(status, b''.join(parts))}")
            on_open()
            rest = b""
            for part in parts:
                *complete, rest = (rest + part).split(b"\n")
                yield from complete
            if rest:  # the last line of a log may have no end
                yield rest

    @contextmanager
    def _as_unreachable(self, action: str) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            text = f"{action}: {format_error(error)}"
            raise UnreachableError(ApiServerReason.API_UNREACHABLE, text) from error
        except ForeignDataError as error:
            text = f"{action}: {error}"
            raise UnreadableError(ApiServerReason.API_UNREACHABLE, text) from error

    @abstractmethod
    def exchange(self, request: "Request", seconds: float) -> tuple[int, bytes]:
        """Send a request once; return the status of HTTP and the body.

        It raises one of `errors` if neither comes within `seconds` of silence.
        """

    @abstractmethod
    def stream(
        self, request: "Request", seconds: float | None
    ) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """Open a response whose body comes in parts, no more than `seconds` apart; errors alike."""


@dataclass(frozen=True)
class Request:
    """A request to the API server; `body` becomes JSON, and `None` is no body."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


class ApiConnection(Connection):
    """Sends requests to one API server by httpx2; safe for threads.

    `sni_hostname` is the name that the server's certificate must have, if not that of its URL.
    """

    errors = (OSError, httpx.HTTPError, httpx.InvalidURL)
    closed = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)

    def __init__(self, http: httpx.Client, sni_hostname: str | None = None) -> None:
        self._http = http
        self.server = str(http.base_url).rstrip("/")
        weakref.finalize(self, http.close)  # no user of a client needs to close it
        self._extensions = {} if sni_hostname is None else {"sni_hostname": sni_hostname}

    def exchange(self, request: Request, seconds: float) -> tuple[int, bytes]:
        """Send a request by the client's pool of connections."""
        response = self._http.send(self._build(request, httpx.Timeout(seconds)))
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
        # Go parses `true`, not Python's `True`.
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in query.items()
        if value is not None
    }


def open_connection(access: ClusterAccess) -> ApiConnection:
    """Return a connection to a cluster; nothing is sent yet.

    It raises `NoClusterError` if credentials cannot be had, or a proxy cannot be used.
    """
    credential = run_program(access) if access.user.get("exec") else None
    verify, auth = tls_context(access, credential), auth_of(access, credential)
    headers = impersonation_headers(access.user)
    try:
        http = httpx.Client(
            base_url=access.server,
            verify=verify,
            auth=auth,
            headers=headers,
            proxy=access.cluster.get("proxy-url"),
            # No bound on open ones: a watch or a followed log holds its connection for hours.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=CONNECTIONS),
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise NoClusterError(
            "the proxy of HTTPS_PROXY, ALL_PROXY or proxy-url in the kubeconfig cannot be used:"
            f" {str(error).split('. ')[0]}; give one as http://HOST:PORT"
        ) from error
    return ApiConnection(http, access.cluster.get("tls-server-name"))
