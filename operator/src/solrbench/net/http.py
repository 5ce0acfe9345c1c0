"""HTTP with limits: what responds may be anything that a user of the cluster has put there.

One operator serves all users, so each response has a limit of bytes and of time. `fetch` holds the
time of one request exactly; pooled clients keep their connections and may send several requests at
once. Credentials are never printed: `repr` hides them, and no message contains them.
"""

import ssl
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import httpx2 as httpx

from solrbench.contract.foreign import limit_bytes
from solrbench.contract.load_plan import PASSWORD, USERNAME, AuthFiles
from solrbench.errors import PermanentError
from solrbench.net.deadline import DEADLINE, AddressCheck, DeadlineTransport
from solrbench.reasons.lifecycle import LifecycleReason

NO_ANSWER_ERRORS = (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError)
"""Raised by a request or by reading its JSON, if a proxy responds in place of Solr, or nothing."""


class ResponseTooLargeError(httpx.TransportError):
    """A response has more bytes than its reader takes."""


def create_client(
    headers: Mapping[str, str] | None = None,
    trust: ssl.SSLContext | None = None,
    base_url: str = "",
    check: AddressCheck | None = None,
) -> httpx.Client:
    """Return a client for one request at a time, that uses no proxy and follows no redirect.

    Without `trust` it trusts the authorities of the system, loaded when needed; `check` is asked of
    the addresses of each connection. It raises `httpx.InvalidURL` if `base_url` is no URL.
    """
    return httpx.Client(
        transport=DeadlineTransport(trust, check),
        headers=headers,
        base_url=base_url,
        # A proxy of the environment would connect in place of the transport, past `check`.
        trust_env=False,
        follow_redirects=False,
    )


def fetch(
    client: httpx.Client, method: str, url: str, *, max_bytes: int, seconds: float, **options: Any
) -> httpx.Response:
    """Send a request by a client of `create_client` and return the whole response.

    The `seconds` last from the lookup of the name to the last byte; `options` are those of
    `httpx.Client.build_request`.

    It raises `httpx.HTTPError` if there is no response in time; `ResponseTooLargeError` if it has
    more than `max_bytes`, `httpx.DecodingError` if it is compressed, `httpx.UnsupportedProtocol` if
    `url` is no URL.
    """
    deadline = time.monotonic() + seconds
    try:
        request = client.build_request(
            method, url, timeout=seconds, extensions={DEADLINE: deadline}, **options
        )
    except httpx.InvalidURL as error:
        # `InvalidURL` is no `HTTPError`: callers would have to know two kinds.
        raise httpx.UnsupportedProtocol(f"invalid URL {url[:200]!r}: {error}") from error
    # A small body could unpack to a huge one.
    request.headers["Accept-Encoding"] = "identity"
    response = client.send(request, stream=True)
    try:
        check_encoding(response)
        body = b"".join(limit_bytes(response.iter_bytes(), max_bytes, ResponseTooLargeError))
    finally:
        # What is left unread is not read: the connection is closed with it.
        response.close()
    return httpx.Response(
        response.status_code, headers=response.headers, content=body, request=request
    )


def utf8_text(response: httpx.Response) -> str:
    """Return the text of a body as UTF-8, whatever codec its header names.

    Of Python's codecs some take minutes for a megabyte (punycode), and some raise (bz2).
    """
    return response.content.decode("utf-8", "replace")


def check_encoding(response: httpx.Response) -> None:
    """Raise `httpx.DecodingError` for a body that is compressed unasked."""
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise httpx.DecodingError(f"the response is compressed ({encoding[:50]}), unasked")


MAX_BYTES = 64 << 20
"""The longest response that is read: metrics of a hundred nodes with a hundred cores each."""


def create_pooled_client(
    seconds: float,
    trust: ssl.SSLContext | bool = True,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> httpx.Client:
    """Return a client that takes no settings from the environment and follows no redirect.

    The `seconds` last from one read to the next, and for the whole body of a response, of
    `max_bytes` at most, once its headers are there.
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
        for part in limit_bytes(self._stream, self._max_bytes, ResponseTooLargeError):
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the response was not complete in time")
            yield part

    def close(self) -> None:
        self._stream.close()


@dataclass(frozen=True)
class HttpAuth:
    """Credentials of a client, as a header's value, and the authorities it trusts, in PEM.

    Without `ca` these are the system's.
    """

    authorization: str | None = field(default=None, repr=False)
    ca: str | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {} if self.authorization is None else {"Authorization": self.authorization}

    @cached_property
    def verify(self) -> ssl.SSLContext:
        """Trust for https; `CertificateNotTrusted`, a `PermanentError`, if `ca` cannot be read."""
        if self.ca is None:
            return _system_trust()
        # Python refuses other letters, which only comments have.
        certificates = self.ca.encode("ascii", "ignore").decode()
        try:
            # Of an empty text Python would make trust in the system's authorities.
            return ssl.create_default_context(cadata=certificates or " ")
        except (ssl.SSLError, ValueError) as error:
            text = f"target.existing.tls.caSecret has no certificates in PEM: {error}; correct it"
            raise PermanentError(LifecycleReason.CERTIFICATE_NOT_TRUSTED, text) from error

    def open_client(self, timeout_seconds: float, max_bytes: int = MAX_BYTES) -> httpx.Client:
        """Return a client with these credentials, whose responses are limited."""
        return create_pooled_client(timeout_seconds, self.verify, self.headers, max_bytes)


@cache
def _system_trust() -> ssl.SSLContext:
    # Once for all clients: reading the authorities takes 30 ms, and a reconcile creates a client.
    return httpx.create_ssl_context(trust_env=False)


NO_AUTH = HttpAuth()
"""For a target that requires no authentication."""


def basic_auth(username: str, password: str) -> str:
    """Return the header's value for a user (RFC 7617, in UTF-8)."""
    return "Basic " + b64encode(f"{username}:{password}".encode()).decode("ascii")


def read_auth(files: AuthFiles) -> HttpAuth:
    """Return what the files of a pod hold.

    It raises `OSError` if one cannot be read, `UnicodeError` if one is no text.
    """
    authorization = None
    if files.credentials_folder is not None:
        folder = Path(files.credentials_folder)
        # Editors and `echo` put a line end there, which is no part of a name or a password.
        user, password = (
            (folder / name).read_text("utf-8").rstrip("\r\n") for name in (USERNAME, PASSWORD)
        )
        authorization = basic_auth(user, password)
    ca = None if files.ca_file is None else Path(files.ca_file).read_text("utf-8")
    return HttpAuth(authorization, ca)


def certificate_problem(error: BaseException | None) -> str | None:
    """Return why a certificate was not trusted, or `None` if `error` has another cause."""
    # httpx2 and httpcore2 wrap the error of the socket, each in one of its own.
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message or str(error)
        error = error.__cause__ or error.__context__
    return None
