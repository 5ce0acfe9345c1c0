"""What one answer shows beyond being whole: how much was found, and what was expected of it."""

from typing import TYPE_CHECKING, NamedTuple

from solrbench.api.v1alpha1.workload.mix import Expectation
from solrbench.load.answers import NOTHING_FOUND, Failure, failure, judge, number_behind

if TYPE_CHECKING:
    from solrbench.load.requests import Extra, PreparedRequest

_FOUND = b'"numFound":'
_FOUND_BYTES = len(_FOUND)
_MATCHES = b'"matches":'
"""Begins a grouped answer: what all groups found together, before the `numFound` of each."""

_NO_ZERO = frozenset(b"123456789")
_LONGEST_NUMBER = 20
_SEEN_BYTES = 120


class Expected(NamedTuple):
    """An expectation in the form that is quick to check."""

    min_found: int | None
    max_found: int | None
    contains: bytes


def expected_of(expectation: Expectation | None) -> Expected | None:
    """Return the quick form of an expectation."""
    if expectation is None:
        return None
    contains = (expectation.contains or "").encode()
    return Expected(expectation.min_found, expectation.max_found, contains)


def check(request: "PreparedRequest", status: int, body: bytes) -> Failure | None:
    """Return what is wrong with an answer, `NOTHING_FOUND` if it is good but empty, else None."""
    failed = judge(status, body, request.json)
    if failed is not None:
        return failed
    if request.extra is not None:
        failed = _check_extra(request.extra, body)
        if failed is not None:
            return failed
    if not request.json:
        return None
    at = body.find(_FOUND)
    if at > 0 and body[at + _FOUND_BYTES] in _NO_ZERO:
        return None
    return NOTHING_FOUND if _found(body, at) == 0 else None


def _check_extra(extra: "Extra", body: bytes) -> Failure | None:
    if extra.expected is not None:
        failed = _check_expectation(extra.expected, body)
        if failed is not None:
            return failed
    return None if extra.flow is None else extra.flow.extract(body)


def _check_expectation(expected: Expected, body: bytes) -> Failure | None:
    least, most, contains = expected
    if least is not None or most is not None:
        found = num_found(body)
        if found is None:
            return _unmet("a numFound", "an answer without", body)
        if least is not None and found < least:
            return _unmet(f"at least {least} documents", f"{found}", body)
        if most is not None and found > most:
            return _unmet(f"at most {most} documents", f"{found}", body)
    if contains and contains not in body:
        return _unmet(f"the text {contains.decode()!r}", "an answer without", body)
    return None


def num_found(body: bytes) -> int | None:
    """Return how many documents an answer found, None if it does not say.

    That is its first `numFound`, or the `matches` of groups, which stand before it.
    """
    return _found(body, body.find(_FOUND))


def _found(body: bytes, at: int) -> int | None:
    """Return what `num_found` does, from the place of the first `numFound`."""
    # Without one, -1: up to the closing brace.
    before = body.find(_MATCHES, 0, at)
    matches = number_behind(body, _MATCHES, before, _LONGEST_NUMBER)
    return number_behind(body, _FOUND, at, _LONGEST_NUMBER) if matches is None else matches


def _unmet(wanted: str, found: str, body: bytes) -> Failure:
    seen = body[:_SEEN_BYTES].decode("utf-8", "replace")
    return failure("ExpectationFailed", f"expected {wanted}, found {found}: {seen}")
