"""HTTP to Solr, with errors turned into ours."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx2 as httpx
from pydantic import BaseModel

from solrbench.contract.foreign import ForeignDataError, decode_json, validate
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.deadline import AddressCheck
from solrbench.net.http import (
    NO_AUTH,
    HttpAuth,
    certificate_problem,
    create_client,
    fetch,
    utf8_text,
)
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason

MAX_RESPONSE_BYTES = 2 << 20
"""The state of a collection of some thousand replicas, or the cores of nodes with as many."""

MAX_RESPONSE_MEMORY = 16 << 20
"""What the values of a response may take."""

MAX_TEXT = 1000
"""Characters of what Solr says went wrong."""

Response = TypeVar("Response", bound=BaseModel)

Params = Mapping[str, str | int | bool | Sequence[str]]


class SolrClient:
    """Talks to the nodes of one SolrCloud through their base URLs (`http://host:8983/solr`).

    `timeout_seconds` are for a request and its whole response; `check` is called with the addresses
    of each connection before it is made.
    """

    def __init__(
        self,
        urls: Sequence[str],
        timeout_seconds: float = 10.0,
        auth: HttpAuth = NO_AUTH,
        check: AddressCheck | None = None,
    ) -> None:
        self.urls = list(urls)
        # Only the host of the URL gets the request: through no proxy of the environment, and
        # wherever a redirect leads, credentials do not follow.
        self._http = create_client(auth.headers, auth.verify, check=check)
        self._timeout_seconds = timeout_seconds
        self.end = math.inf
        """The `time.monotonic()` at which every request ends at the latest."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(
        self, path: str, model: type[Response], params: Params | None = None, url: str | None = None
    ) -> Response:
        """Return the JSON response of a GET to one node, the first that is reached without a `url`.

        It raises `TemporaryError` if no such node responds, or one does with a server error, or
        otherwise than Solr does; `PermanentError` if Solr refuses the request; that is with
        `AuthenticationFailed`, `RedirectRefused` or `CertificateNotTrusted` if access is denied.
        """
        response = self._send("GET", path, params, url)
        body = _checked(response)
        try:
            return validate(model, body)
        except ForeignDataError as error:
            raise _unreadable(response, error) from error

    def get_text(self, path: str, params: Params) -> str:
        """Return the text of a GET, where `wt` of `params` is not JSON; errors as in `get`."""
        response = self._send("GET", path, params, None)
        if response.status_code != httpx.codes.OK:
            _checked(response)
        return utf8_text(response)

    def post(  # noqa: PLR0913 - the parts of an HTTP request
        self,
        path: str,
        params: Params | None = None,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        content: bytes | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        """Send a POST to the first node; errors as in `get`.

        Solr takes the fields of a `form` as further parameters, of which a URL may be too long.
        """
        options: dict[str, Any] = {"json": json, "data": form}
        if content is not None:
            options |= {"content": content, "headers": {"Content-Type": "application/octet-stream"}}
        options["seconds"] = timeout_seconds or self._timeout_seconds
        _checked(self._send("POST", path, params, None, **options))

    def _send(
        self, method: str, path: str, params: Params | None, url: str | None, **options: Any
    ) -> httpx.Response:
        """Send a request to `url`, else to the first node; a read then goes on to the others."""
        first, *others = [url] if url is not None else self.urls
        for node in others if method == "GET" else []:
            try:
                return self._send_to(first, method, path, params, **options)
            except TemporaryError:  # not reached, as what a node says is no error yet
                first = node
        return self._send_to(first, method, path, params, **options)

    def _send_to(
        self, node: str, method: str, path: str, params: Params | None, **options: Any
    ) -> httpx.Response:
        address = f"{node}{path}"
        seconds = options.pop("seconds", self._timeout_seconds)
        try:
            return fetch(
                self._http,
                method,
                address,
                max_bytes=MAX_RESPONSE_BYTES,
                # The default of a handler may be XML, as a config set of users may say.
                params={"wt": "json", **(params or {})},
                seconds=max(0.0, min(seconds, self.end - time.monotonic())),
                **options,
            )
        except httpx.HTTPError as error:
            if problem := certificate_problem(error):
                raise PermanentError(
                    LifecycleReason.CERTIFICATE_NOT_TRUSTED,
                    f"{address}: {problem}; target.existing.tls.caSecret must hold the CA that"
                    " signed the certificate, and urls a host that it names",
                ) from error
            text = f"{method} {address}: {str(error) or repr(error)}"
            raise TemporaryError(TargetReason.SOLR_UNREACHABLE, text) from error


def _checked(response: httpx.Response) -> Any:
    """Return the body of a good response; Solr may put errors into the body of an HTTP 200."""
    _check_proxy_response(response)
    try:
        body = decode_json(response.content, MAX_RESPONSE_MEMORY)
    except ForeignDataError as error:
        raise _unreadable(response, error) from error
    if response.status_code < 400 and not _error_text(body):
        return body
    text = _error_text(body) or f"HTTP {response.status_code}"
    # 404: a core that is being loaded or has moved; 429: a circuit breaker is open. Both may pass.
    may_pass = response.status_code >= 500 or response.status_code in (404, 429)
    kind = TemporaryError if may_pass else PermanentError
    raise kind(TargetReason.SOLR_ERROR, f"{response.request.method} {response.url.path}: {text}")


def _unreadable(response: httpx.Response, error: ForeignDataError) -> TemporaryError:
    # Only what it looks like: its text is not Solr's and not for the status.
    content_type = response.headers.get("Content-Type", "no content type")[:100]
    return TemporaryError(
        TargetReason.SOLR_UNREACHABLE,
        f"the response of {response.url.copy_with(query=None)} cannot be read: HTTP"
        f" {response.status_code}, {content_type}, {len(response.content)} bytes: {error}",
    )


def _check_proxy_response(response: httpx.Response) -> None:
    """Raise if a proxy or Solr's authentication responded instead of the handler."""
    address = response.url.copy_with(query=None)
    if response.status_code in (401, 403):
        raise PermanentError(
            LifecycleReason.AUTHENTICATION_FAILED,
            f"{response.request.method} {address}: HTTP {response.status_code};"
            " target.existing.basicAuth.secret.name must name a Secret whose user is allowed to"
            " do this",
        )
    if response.is_redirect:
        raise PermanentError(
            LifecycleReason.REDIRECT_REFUSED,
            f"{address} redirects to {response.headers.get('Location', '')[:200]}; redirects are"
            " not followed; set target.existing.urls to the final URL",
        )


def _error_text(body: Any) -> str:
    """Return what Solr says went wrong, however it says it, or an empty string."""
    if not isinstance(body, dict):
        return ""
    error = body.get("error")
    if isinstance(error, dict):
        # Without a message, as of a NullPointerException, there is a trace.
        message = error.get("msg") or str(error.get("trace", ""))[:300]
        parts = (message, error.get("details"))
        return "; ".join(str(part)[:MAX_TEXT] for part in parts if part)
    # The Collections API reports what nodes refused by `failure`, the Config API by the other.
    failures = body.get("failure") or body.get("errorMessages")
    if failures:
        return str(failures)[:MAX_TEXT]
    exception = body.get("exception")
    return str(exception.get("msg", exception))[:MAX_TEXT] if isinstance(exception, dict) else ""
