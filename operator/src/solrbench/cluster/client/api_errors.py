"""Errors of the API server and of the way to it, as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import orjson

from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.reasons.api_server import ApiServerReason

_MOST_CHARACTERS = 1000


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
        return body.decode("utf-8", "replace").strip()[:_MOST_CHARACTERS]
    if not isinstance(status, dict) or not status.get("message"):
        return body.decode("utf-8", "replace")[:_MOST_CHARACTERS] if status else ""
    return str(status["message"])[:_MOST_CHARACTERS] + _causes(status)


def _causes(status: dict[str, Any]) -> str:
    """Return what the message leaves out of its causes."""
    causes = (status.get("details") or {}).get("causes") or []
    message = str(status["message"])
    missing = [
        f"{each.get('field', '')}: {each['message']}".removeprefix(": ")
        for each in causes
        if each.get("message") and each["message"] not in message
    ]
    text = "; ".join(missing)[:_MOST_CHARACTERS]
    return f" ({text})" if text else ""
