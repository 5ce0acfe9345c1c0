"""Is a response valid: status, content, expectations and values for the next request."""

from solrbench.load.validation.expectations import RESULTS, check_expectation, num_found
from solrbench.load.validation.response_checks import (
    EMPTY_RESULT,
    EMPTY_WITHOUT_HEADER,
    NO_HEADER,
    RequestFailure,
    check_response,
)
from solrbench.load.workload.prepared_request import PreparedRequest, RequestExtras

_RESULTS_BYTES = len(RESULTS)
_NO_ZERO = frozenset(b"123456789")


def validate_response(request: PreparedRequest, status: int, body: bytes) -> RequestFailure | None:
    """Return what is wrong with a response, None if nothing is.

    Of a good response that is empty, or has no header, it returns a remark that says so
    (`EMPTY_RESULT`, `NO_HEADER`, `EMPTY_WITHOUT_HEADER`).
    """
    failed = check_response(status, body, request.is_json)
    if failed is not None and failed is not NO_HEADER:
        return failed
    if request.extra is not None:
        wrong = _check_extras(request.extra, body)
        if wrong is not None:
            return wrong
    if not request.is_json:
        return None
    at = body.find(RESULTS)
    if at > 0 and body[at + _RESULTS_BYTES] in _NO_ZERO:
        return failed
    if num_found(body) != 0:
        return failed
    return EMPTY_RESULT if failed is None else EMPTY_WITHOUT_HEADER


def _check_extras(extra: RequestExtras, body: bytes) -> RequestFailure | None:
    if extra.expectation is not None:
        failed = check_expectation(extra.expectation, body)
        if failed is not None:
            return failed
    return None if extra.transaction is None else extra.transaction.extract(body)
