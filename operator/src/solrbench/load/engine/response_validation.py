"""Is a response valid: status, content, expectations and values for the next request."""

from solrbench.load.validation.expectations import NUM_FOUND, check_expectation, num_found_at
from solrbench.load.validation.response_checks import NOTHING_FOUND, Failure, judge
from solrbench.load.workload.prepared_request import Extra, PreparedRequest

_NUM_FOUND_BYTES = len(NUM_FOUND)


_NO_ZERO = frozenset(b"123456789")


def check(request: PreparedRequest, status: int, body: bytes) -> Failure | None:
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
    at = body.find(NUM_FOUND)
    if at > 0 and body[at + _NUM_FOUND_BYTES] in _NO_ZERO:
        return None
    return NOTHING_FOUND if num_found_at(body, at) == 0 else None


def _check_extra(extra: Extra, body: bytes) -> Failure | None:
    if extra.expected is not None:
        failed = check_expectation(extra.expected, body)
        if failed is not None:
            return failed
    return None if extra.flow is None else extra.flow.extract(body)
