"""Exceptions that no reason describes: what the status shows, and how many are borne in a row."""

from solrbench.decide.checks.outcome import Outcome, fail, wait
from solrbench.reasons.lifecycle import LifecycleReason

MAX_IN_A_ROW = 60
"""Two minutes of reconciles every 2 s: a core that loads may respond incompletely so long."""

MAX_LINE = 300
"""Characters of an exception's message in a condition."""


def describe_exception(error: Exception) -> str:
    """Return the type of an exception and the first line of its message."""
    lines = str(error).strip().splitlines()
    name = type(error).__name__
    return f"{name}: {lines[0][:MAX_LINE]}" if lines else name


def check_internal_error(in_a_row: int, message: str) -> Outcome:
    """Wait after an exception; fail when the last one that is borne was met.

    Args:
        in_a_row: reconciles that ended so, this one included
        message: the exception in words

    """
    if in_a_row < MAX_IN_A_ROW:
        return wait(LifecycleReason.INTERNAL_ERROR, message)
    return fail(
        LifecycleReason.INTERNAL_ERROR,
        f"{message}; {in_a_row} times in a row, limit {MAX_IN_A_ROW}",
    )
