"""What is left of a status that the API server does not store."""

from datetime import datetime

from solrbench.api.v1alpha1.status.status import Status
from solrbench.decide.conditions import SUCCEEDED, Conditions, is_finished
from solrbench.reasons.api_server import ApiServerReason

MAX_ERROR = 500
"""Characters of the API server's message: that of an invalid object repeats the object."""


def reduce_status(status: Status, stored: Status, error: str, now: datetime) -> Status:
    """Return the conditions and what clean-up needs; the benchmark ends if it has not before.

    Results are left out; they stay in the ConfigMaps of the report.

    Args:
        status: the one that was rejected
        stored: the one before, whose parts are known to be accepted
        error: why it was rejected
        now: the time of the end

    """
    conditions = Conditions(status.conditions, now, status.observed_generation)
    message = (
        f"the API server rejected the status, results are left out of it: {error[:MAX_ERROR]};"
        " read them from the report, and reduce steps, variants or request names"
    )
    ended = is_finished(stored)
    if ended:
        before = conditions.get(SUCCEEDED)
        truth, text = before.status, f"{before.message}; {message}"
        conditions.set(SUCCEEDED, truth, ApiServerReason.STATUS_REJECTED, text)
    else:
        conditions.set(SUCCEEDED, "False", ApiServerReason.STATUS_REJECTED, message)
    return Status(
        observed_generation=status.observed_generation,
        phase=status.phase if ended else "Failed",
        progress_percent=status.progress_percent,
        start_time=status.start_time,
        completion_time=status.completion_time or now,
        phase_start_time=status.phase_start_time if ended else now,
        attempts=status.attempts,
        target=stored.target,
        dataset=stored.dataset,
        report=status.report,
        export=stored.export,
        conditions=conditions.as_list(),
    )
