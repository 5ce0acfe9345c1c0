"""How long requests may go on after the last one was to start."""

from solrbench.api.v1alpha1.workload.mix import Transaction
from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.think_time import longest_think_seconds


def longest_drain_seconds(assignment: Assignment, workload: Workload) -> float:
    """Return the longest time from the end of a step to its last response, in seconds.

    Users end with the request under way, which may be sent once more. Arrivals of an open loop are
    carried to their end: each request may wait for a connection as long as for its response, and
    those of a transaction come one after another, with their think times in between.
    """
    timeout = 2.0 * workload.timeout_seconds
    if assignment.open_loop is None:
        return timeout
    transactions = (each.transaction for each in workload.entries)
    return max(
        (_longest_seconds(each, timeout) for each in transactions if each is not None),
        default=timeout,
    )


def _longest_seconds(transaction: Transaction, timeout_seconds: float) -> float:
    return sum(
        timeout_seconds
        + (longest_think_seconds(each.think_time) if each.think_time is not None else 0.0)
        for each in transaction.requests
    )
