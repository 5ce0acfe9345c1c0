"""What Locust's `request` event reports: failures, and the details of the slowest requests.

Only these pay for the details, so reading them may take its time; but it must never fail, whatever
a custom locustfile reports.
"""

import re
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from solrbench.contract.endpoints import DEFAULT_PORTS
from solrbench.load.recording.request_stats import qtime_milliseconds
from solrbench.load.workload.response_checks import RequestFailure, request_failure

_BODIES = ("_cached_content", "_content")
"""Where geventhttpclient (`FastHttpUser`) and requests (`HttpUser`) keep a body that was read."""
_SOLR_JSON = re.compile(rb'\s*\{\s*"responseHeader"\s*:')


class RequestDetails(NamedTuple):
    """What is known of a request besides its times."""

    query: str
    """Type, and path with parameters; the name where no address was reported."""
    node: str | None
    """Host and port; None without an address that has a host."""
    qtime_milliseconds: int | None
    """What Solr says it took; None unless the response was read and is Solr's JSON."""


def describe_event(
    name: str, response: Any = None, *, request_type: Any = None, url: Any = None, **_: Any
) -> RequestDetails:
    """Return the details of an event; takes the arguments of Locust's `request` event."""
    parts = _split(_text(url))
    query = f"{_text(request_type)} {_path(parts, response) or _text(name)}"
    body = _body(response)
    qtime = qtime_milliseconds(body) if _SOLR_JSON.match(body) else None
    return RequestDetails(" ".join(query.split()), _node(parts), qtime)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # is read from the text just now
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def _path(parts: SplitResult, response: Any) -> str:
    """Return path and parameters, with those that `FastHttpUser` reports in the request alone."""
    reported, sent = f"{parts.path}?{parts.query}" if parts.query else parts.path, ""
    with suppress(Exception):  # of another client it may be any object
        sent = _text(response.request.selector)
    return sent if reported and sent.startswith((f"{reported}?", f"{reported}&")) else reported


def _node(parts: SplitResult) -> str | None:
    # Not `netloc`, which may hold a password.
    port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    if not parts.hostname or port is None:
        return parts.hostname
    return f"{parts.hostname}:{port}"


def _body(response: Any) -> bytes:
    """Return what was read of a response.

    `content` would read it now: a stream that the user wants to read itself.
    """
    for kept in _BODIES:
        with suppress(Exception):  # of another client it may be any object
            body = getattr(response, kept)
            if isinstance(body, bytes):
                return body
    return b""


def _text(details: Any) -> str:
    if isinstance(details, bytes):
        return details.decode("utf-8", "replace")
    return details if isinstance(details, str) else ""


def event_failure(exception: Any, response: Any) -> RequestFailure | None:
    """Return what a request failed of: a bad HTTP status if there is one, else the exception."""
    if exception is None or exception is False:
        return None
    status = getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return request_failure(f"HTTP{status}", str(exception))
    kind = type(exception).__name__ if isinstance(exception, BaseException) else "Failed"
    return request_failure("CheckFailed" if kind == "CatchResponseError" else kind, str(exception))
