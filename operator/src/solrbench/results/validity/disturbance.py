"""Whether something other than the target decided what a step run shows."""

from solrbench.results.validity.checks.finding import EvaluatedRun, Finding

_REASONS = ("WorkerSaturated", "ScheduleLag", "WorkersLost", "PodThrottled", "PodRestarted")
"""Reasons of the load generator and of pods; failures and drops are what overload looks like."""


def find_disturbance(run: EvaluatedRun) -> str:
    """Return the first of these reasons with its number; empty if there is none."""
    for reason in _REASONS:
        outcome = run.findings.get(reason)
        if isinstance(outcome, Finding):
            return f"{reason}: {outcome.text}"
    return ""
