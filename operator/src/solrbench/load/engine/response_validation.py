"""Is a response valid: status, content, expectations and values for the next request."""

from solrbench.load.validation.expectations import NUM_FOUND, check_expectation, num_found_at
from solrbench.load.validation.response_checks import EMPTY_RESULT, RequestFailure, check_response
from solrbench.load.workload.prepared_request import PreparedRequest, RequestExtras

_NUM_FOUND_BYTES = len(NUM_FOUND)


_NO_ZERO = frozenset(b"123456789")


def validate_response(request: PreparedRequest, status: int, body: bytes) -> RequestFailure | None:
    """Return what is wrong with a response, `EMPTY_RESULT` if it is good but empty, else None."""
    failed = check_response(status, body, request.is_json)
    if failed is not None:
        return failed
    if request.extra is not None:
        failed = _check_extras(request.extra, body)
        if failed is not None:
            return failed
    if not request.is_json:
        return None
    at = body.find(NUM_FOUND)
    if at > 0 and body[at + _NUM_FOUND_BYTES] in _NO_ZERO:
        return None
    return EMPTY_RESULT if num_found_at(body, at) == 0 else None


def _check_extras(extra: RequestExtras, body: bytes) -> RequestFailure | None:
    if extra.expectation is not None:
        failed = check_expectation(extra.expectation, body)
        if failed is not None:
            return failed
    return None if extra.transaction is None else extra.transaction.extract(body)
