"""Check a response by searching its bytes: parsing would cost more than sending.

Keys that Solr writes cannot be confused with stored text, whose quotes JSON escapes.
"""

from typing import NamedTuple

from solrbench.results.model.failure_kinds import PARTIAL_RESULTS

LONGEST_SAMPLE = 300
"""Characters kept of the first message of each kind of failure."""

_HEADER_BYTES = 512
"""Solr writes `responseHeader` first and `status` among its first keys."""

_STATUS = b'"status":'
_GOOD_STATUS = b'"status":0,'
_BRACE = ord("{")
_ENDS = (b"}\n", b"}")
_PARTIAL = b'"partialResults":'
"""A key of `responseHeader`, which ends before `response` begins."""
_RESPONSE = b'"response":{'
_ERROR = b'"error":{'


class RequestFailure(NamedTuple):
    """One failed request."""

    kind: str
    """HTTP503, Timeout, ConnectionRefused, SolrError …"""
    message: str
    """What was seen, cut at 300 characters."""


EMPTY_RESULT = RequestFailure("NothingFound", "numFound is 0")
"""Not a failure: the remark that a good response is empty, passed on in the place of one."""

NO_HEADER = RequestFailure("NoHeader", "response has no responseHeader")
"""Not a failure: the remark that a good response does not show whether it is partial."""

EMPTY_WITHOUT_HEADER = RequestFailure("NothingFoundNoHeader", "both of these")
"""Not a failure: both remarks."""

_REMARKS = frozenset({EMPTY_RESULT, NO_HEADER, EMPTY_WITHOUT_HEADER})


def is_failure(failed: RequestFailure) -> bool:
    """Say whether something failed, which a remark on a good response is not."""
    return failed not in _REMARKS


def failure_or_none(failed: RequestFailure | None) -> RequestFailure | None:
    """Return a failure as it is, and None in the place of a remark on a good response."""
    return None if failed is None or failed in _REMARKS else failed


def check_response(status: int, body: bytes, is_json: bool) -> RequestFailure | None:
    """Return what is wrong with a response, None if nothing is.

    Args:
        status: HTTP status code.
        body: the whole body.
        is_json: JSON was requested, so the content is checked too.

    """
    if (
        is_json
        and status == 200
        and body.find(_GOOD_STATUS, 0, _HEADER_BYTES) > 0
        and body[0] == _BRACE
        and body.endswith(_ENDS)
        # Without a response, -1: up to the closing brace.
        and body.find(_PARTIAL, 0, body.find(_RESPONSE)) < 0
    ):
        return None
    return _check_slow_path(status, body, is_json)


def _check_slow_path(status: int, body: bytes, is_json: bool) -> RequestFailure | None:
    if status != 200:
        return request_failure(f"HTTP{status}", body.decode("utf-8", "replace"))
    if not is_json:
        return None
    if body[:1] != b"{" or body[-8:].rstrip()[-1:] != b"}":
        return request_failure(
            "MalformedResponse", _quoted("response is not one JSON object", body)
        )
    # Details of partial results stand before the status and may be long.
    return _check_completeness(body) or _check_status(body)


def request_failure(kind: str, message: str) -> RequestFailure:
    """Return a failure with its message on one line, cut at 300 characters."""
    return RequestFailure(kind, " ".join(message[: 2 * LONGEST_SAMPLE].split())[:LONGEST_SAMPLE])


def int_after_key(body: bytes, key: bytes, at: int, longest: int) -> int | None:
    """Return the whole number of at most `longest` bytes behind a key that stands `at` a place.

    None if there is none, or the key is not there and `at` negative, as `bytes.find` returns it.
    """
    if at < 0:
        return None
    start = at + len(key)
    digits = body[start : start + longest].lstrip()
    end = next((i for i, byte in enumerate(digits) if not 48 <= byte <= 57), len(digits))
    return int(digits[:end]) if end else None


def _check_status(body: bytes) -> RequestFailure | None:
    at = body.find(_STATUS, 0, _HEADER_BYTES)
    if at >= 0:
        code = body[at + len(_STATUS) : at + len(_STATUS) + 4].strip()
        return None if code[:1] == b"0" else _solr_error(body)
    if body.find(_ERROR) >= 0:
        return _solr_error(body)
    if b'"responseHeader"' in body[:64]:
        return request_failure("MalformedResponse", _quoted("responseHeader has no status", body))
    # omitHeader=true leaves nothing to check.
    return None


def _check_completeness(body: bytes) -> RequestFailure | None:
    at = body.find(_PARTIAL)
    if at < 0 or body[at + len(_PARTIAL) : at + 2 * len(_PARTIAL)].lstrip()[:5] == b"false":
        return None
    return request_failure(PARTIAL_RESULTS, _quoted("response has partial results", body))


def _solr_error(body: bytes) -> RequestFailure:
    at = max(body.find(_ERROR), 0)
    return request_failure("SolrError", body[at : at + LONGEST_SAMPLE].decode("utf-8", "replace"))


def _quoted(text: str, body: bytes) -> str:
    return f"{text}: {body[:LONGEST_SAMPLE].decode('utf-8', 'replace')}"
