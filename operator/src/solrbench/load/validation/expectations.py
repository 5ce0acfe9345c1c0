"""Expectations of a response: how many documents it found and which text it contains."""

from typing import NamedTuple

from solrbench.api.v1alpha1.workload.mix import Expectation
from solrbench.load.validation.response_checks import RequestFailure, int_after_key, request_failure

RESULTS = b'"response":{"numFound":'
"""How Solr begins the results of a query."""

_NUM_FOUND = b'"numFound":'
"""Key of the number of documents in any list."""

_MATCHES = b'"matches":'
"""Begins a grouped response: what all groups found together, before the `numFound` of each."""

_LONGEST_NUMBER = 20
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
        found = num_found(body)
        if found is None:
            return _expectation_failure("a numFound", "a response without", body)
        if least is not None and found < least:
            return _expectation_failure(f"at least {least} documents", f"{found}", body)
        if most is not None and found > most:
            return _expectation_failure(f"at most {most} documents", f"{found}", body)
    if contains and contains not in body:
        return _expectation_failure(f"the text {contains.decode()!r}", "a response without", body)
    return None


def num_found(body: bytes) -> int | None:
    """Return how many documents a response found, None if it does not say.

    That is the `numFound` of its `response`, before which `/mlt` writes that of the documents it
    compares with; else the `matches` of groups, or the first `numFound`.
    """
    at = body.find(RESULTS)
    if at >= 0:
        return int_after_key(body, RESULTS, at, _LONGEST_NUMBER)
    at = body.find(_NUM_FOUND)
    # Without one, -1: up to the closing brace.
    before = body.find(_MATCHES, 0, at)
    matches = int_after_key(body, _MATCHES, before, _LONGEST_NUMBER)
    return int_after_key(body, _NUM_FOUND, at, _LONGEST_NUMBER) if matches is None else matches


def _expectation_failure(wanted: str, found: str, body: bytes) -> RequestFailure:
    seen = body[:_SEEN_BYTES].decode("utf-8", "replace")
    return request_failure("ExpectationFailed", f"expected {wanted}, found {found}: {seen}")
