"""Check a response by searching its bytes: parsing would cost more than sending.

Keys that Solr writes cannot be confused with stored text, whose quotes JSON escapes. They can be
confused with the fields of documents: so what a header says is looked for in the header alone.
Javabin cannot be searched; it is read up to the number of documents.
"""

import json
import re
from typing import Any, NamedTuple

from solrbench.api.v1alpha1.request_mix import Expectation
from solrbench.contract.step_document import PARTIAL_RESULTS
from solrbench.load.workload.javabin import (
    BEGIN,
    JavabinError,
    JavabinSummary,
    plain_num_found,
    summarize,
)

LONGEST_SAMPLE = 300
"""Characters kept of the first message of each kind of failure."""

_GOOD_BEGINNINGS = tuple(
    f'{{{line}"responseHeader":{{{connected}"status":0'.encode()
    for line, key in (("", ""), ("\n  ", "\n    "))
    for connected in (key, f'{key}"zkConnected":true,{key}')
)
"""How Solr begins good responses, plain or indented; whatever else is good is looked at closely."""

_HEADER = re.compile(rb'\s*\{\s*"responseHeader"\s*:\s*(?=\{)')
_TOP_ERROR = re.compile(rb'\s*\{\s*"error"\s*:\s*\{')
_PARTIAL_BEHIND = re.compile(r'\s*,\s*"partialResults"\s*:\s*+(?!false)')
_MAX_HEADER_BYTES = 1 << 20
"""A header repeats the parameters of its request."""
_ENDS = (b"}\n", b"}")
_PARTIAL = b'"partialResults":'
"""A key of `responseHeader`, which ends before `response` begins."""
_RESPONSE = b'"response":{'
_ERROR = b'"error":{'
_EXCEPTION = b'"EXCEPTION":'
_STREAM_END = b'"EOF":'
"""The last tuple of `/stream` and `/sql`, which report errors in it, with HTTP status 200."""
_INTEGER = re.compile(rb"\s{,20}(\d{1,20})")
_decode_object = json.JSONDecoder().raw_decode


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


def check_response(status: int, body: bytes, is_readable: bool) -> RequestFailure | None:
    """Return what is wrong with a response, None if nothing is.

    With `is_readable`, JSON or javabin was requested, so the content is checked too.
    """
    # The fast path, by which nearly all responses leave.
    if (
        is_readable
        and status == 200
        and body.startswith(_GOOD_BEGINNINGS)
        and body.endswith(_ENDS)
        # Without a response, -1: up to the closing brace.
        and body.find(_PARTIAL, 0, body.find(_RESPONSE)) < 0
    ):
        return None
    if status != 200:
        return request_failure(f"HTTP{status}", body.decode("utf-8", "replace"))
    if not is_readable:
        return None
    if body[:1] == BEGIN:
        return _check_javabin(body)
    if body[:1] != b"{" or body[-8:].rstrip()[-1:] != b"}":
        problem = _quoted("response is not one JSON object", body)
        return request_failure("MalformedResponse", problem)
    header = _HEADER.match(body)
    return _check_without_header(body) if header is None else _check_header(body, header.end())


def request_failure(kind: str, message: str) -> RequestFailure:
    """Return a failure with its message on one line, cut at 300 characters."""
    return RequestFailure(kind, " ".join(message[: 2 * LONGEST_SAMPLE].split())[:LONGEST_SAMPLE])


def int_after_key(body: bytes, key: bytes, at: int) -> int | None:
    """Return the whole number behind a key that stands `at` a place.

    None if there is none, or the key is not there and `at` negative, as `bytes.find` returns it.
    """
    found = None if at < 0 else _INTEGER.match(body, at + len(key))
    return None if found is None else int(found[1])


def _check_header(body: bytes, at: int) -> RequestFailure | None:
    """Check what the header says, and nothing behind it: documents may have fields of any name."""
    text = body[at : at + _MAX_HEADER_BYTES].decode("utf-8", "replace")
    try:
        header, end = _decode_object(text)
    except (ValueError, RecursionError):
        return request_failure("MalformedResponse", _quoted("responseHeader is not JSON", body))
    problem = _problem_of_header(header, is_partial=bool(_PARTIAL_BEHIND.match(text, end)))
    if problem is None:
        return None
    if problem is _STATUS:
        return _solr_error(body, body.find(_ERROR))
    kind, message = problem
    return request_failure(kind, message if kind == "SolrError" else _quoted(message, body))


_STATUS = RequestFailure("SolrError", "status is not 0")


def _problem_of_header(header: dict[str, Any], *, is_partial: bool) -> RequestFailure | None:
    """Return what a header says is wrong; `is_partial` is what stands behind it."""
    if is_partial or header.get("partialResults", False) is not False:
        return RequestFailure(PARTIAL_RESULTS, "response has partial results")
    status = header.get("status")
    if status is None:
        return RequestFailure("MalformedResponse", "responseHeader has no status")
    if status != 0:
        return _STATUS
    if header.get("errors"):
        # A tolerant update: some of its documents were refused.
        return RequestFailure("SolrError", _sample(header["errors"]))
    return None


def _sample(value: Any) -> str:
    """Return the begin of a value as JSON; in javabin one text may be in it a million times."""
    text = ""
    for piece in json.JSONEncoder(default=str).iterencode(value):
        text += piece
        if len(text) > LONGEST_SAMPLE:
            break
    return text


def _check_javabin(body: bytes) -> RequestFailure | None:
    """Check the same of a response in javabin."""
    if plain_num_found(body) is not None:
        return None
    try:
        header, partial, error, _ = summarize(body)
    except JavabinError as problem:
        return request_failure("MalformedResponse", f"response is not javabin: {problem}")
    if header is not None:
        failed = _problem_of_header(header, is_partial=partial not in (None, False))
        if failed is None:
            return None
        return request_failure(failed.kind, f"{failed.message}: {_sample(error or header)}")
    at = body.find(b"EXCEPTION")
    if error is None and at >= 0 and b"EOF" in body:  # as with JSON, the last tuple of a stream
        error = {"msg": body[at : at + LONGEST_SAMPLE].decode("utf-8", "replace")}
    return NO_HEADER if error is None else request_failure("SolrError", _sample(error))


def read_javabin(body: bytes) -> JavabinSummary | None:
    """Return what a response in javabin shows; None for any other."""
    if body[:1] != BEGIN:
        return None
    try:
        return summarize(body)
    except JavabinError:
        return None


def _check_without_header(body: bytes) -> RequestFailure | None:
    """Check a response of `/get`, `/stream`, `/sql` or with `omitHeader`, which has little to show.

    Such a response does not say whether it is complete; a `status` in it is that of a document.
    """
    if _TOP_ERROR.match(body):
        return _solr_error(body, body.find(_ERROR))
    at = body.find(_EXCEPTION)
    if at >= 0 and body.find(_STREAM_END, at) >= 0:
        return _solr_error(body, at)
    return NO_HEADER


def _solr_error(body: bytes, at: int) -> RequestFailure:
    start = max(at, 0)
    sample = body[start : start + LONGEST_SAMPLE].decode("utf-8", "replace")
    return request_failure("SolrError", sample)


def _quoted(text: str, body: bytes) -> str:
    return f"{text}: {body[:LONGEST_SAMPLE].decode('utf-8', 'replace')}"


RESULTS = b'"response":{"numFound":'
"""How Solr begins the results of a query."""

_NUM_FOUND = b'"numFound":'
"""Key of the number of documents in any list."""

_MATCHES = b'"matches":'
"""Begins a grouped response: what all groups found together, before the `numFound` of each."""

_SEEN_BYTES = 120


class CompiledExpectation(NamedTuple):
    """An expectation in the form that is quick to check."""

    min_num_found: int | None
    max_num_found: int | None
    contains: bytes


def compile_expectation(expectation: Expectation | None) -> CompiledExpectation | None:
    """Return the quick form of an expectation."""
    if expectation is None:
        return None
    contains = (expectation.contains or "").encode()
    return CompiledExpectation(expectation.min_num_found, expectation.max_num_found, contains)


def check_expectation(expected: CompiledExpectation, body: bytes) -> RequestFailure | None:
    """Return how a response differs from what was expected of it."""
    least, most, contains = expected
    if least is not None or most is not None:
        count = num_found(body)
        if count is None:
            return _expectation_failure("a numFound", "a response without", body)
        if least is not None and count < least:
            return _expectation_failure(f"at least {least} documents", f"{count}", body)
        if most is not None and count > most:
            return _expectation_failure(f"at most {most} documents", f"{count}", body)
    if contains and contains not in body:
        return _expectation_failure(f"the text {contains.decode()!r}", "a response without", body)
    return None


def num_found(body: bytes) -> int | None:
    """Return how many documents a response found, None if it does not say.

    That is the `numFound` of its `response`, before which `/mlt` writes that of the documents it
    compares with; else the `matches` of groups, or the first `numFound`.
    """
    if body[:1] == BEGIN:
        plain = plain_num_found(body)
        summary = read_javabin(body) if plain is None else None
        return plain if summary is None else summary.num_found
    at = body.find(RESULTS)
    if at >= 0:
        return int_after_key(body, RESULTS, at)
    at = body.find(_NUM_FOUND)
    # Without one, -1: up to the closing brace.
    matches = int_after_key(body, _MATCHES, body.find(_MATCHES, 0, at))
    return int_after_key(body, _NUM_FOUND, at) if matches is None else matches


def _expectation_failure(wanted: str, found: str, body: bytes) -> RequestFailure:
    summary = read_javabin(body)
    text = _sample(summary.header) if summary else body[:_SEEN_BYTES].decode("utf-8", "replace")
    seen = text[:_SEEN_BYTES]
    return request_failure("ExpectationFailed", f"expected {wanted}, found {found}: {seen}")
