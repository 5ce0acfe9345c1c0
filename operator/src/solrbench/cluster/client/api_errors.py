"""Errors of the API server and of the way to it, as ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from kubernetes.dynamic.exceptions import ApiException, ResourceNotFoundError
from urllib3.exceptions import HTTPError

from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason


class ForbiddenError(TemporaryError):
    """The user may not do that; a role may be bound any moment."""


class ExpiredError(TemporaryError):
    """The API server has forgotten the version from which to watch."""


class NotFoundError(TemporaryError):
    """There is no such object."""


@contextmanager
def wrap_api_errors(action: str) -> Iterator[None]:
    """Turn the client's errors into ours; the API being away is never the benchmark's fault."""
    try:
        yield
    except ResourceNotFoundError as error:
        raise TemporaryError(LifecycleReason.KIND_NOT_SERVED, f"{action}: {error}") from error
    except ApiException as error:
        raise _error_for(error.status, f"{action}: {_api_message(error)}") from error
    except (HTTPError, OSError) as error:
        raise TemporaryError(LifecycleReason.API_UNREACHABLE, f"{action}: {error}") from error


def _error_for(status: int, text: str) -> TemporaryError | PermanentError:
    if status == 404:
        return NotFoundError(LifecycleReason.NOT_FOUND, text)
    if status == 409:
        return ConflictError(LifecycleReason.CONFLICT, text)
    # etcd's limit is a server error, though another attempt cannot succeed.
    if status in (400, 413, 422) or "request is too large" in text or "larger than max" in text:
        return PermanentError(LifecycleReason.MANIFEST_REJECTED, text)
    if status == 403:
        return ForbiddenError(LifecycleReason.API_REFUSED, text)
    error = ExpiredError if status == 410 else TemporaryError
    return error(LifecycleReason.API_UNREACHABLE, text)


def _api_message(error: ApiException) -> str:
    body = error.body.decode() if isinstance(error.body, bytes) else str(error.body or "")
    return body[:1000] or str(error.reason)
