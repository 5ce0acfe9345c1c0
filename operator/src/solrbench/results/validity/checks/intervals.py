"""Whether a step was long enough for its own swings, so that its numbers have intervals."""

from collections.abc import Sequence

from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.intervals import LEAST_BLOCKS
from solrbench.results.summary.timed_samples import service_samples
from solrbench.results.validity.checks.finding import NotEvaluated

STEP_TOO_SHORT = "StepTooShort"
"""Why numbers have no interval. It is no reason to be Invalid: nothing is known to be wrong."""


def check_long_enough(step_runs: Sequence[StepRunResult]) -> NotEvaluated | None:
    """Look for the interval of the mean of all requests; documents of older versions have none."""
    found = [
        [each for each in document.requests if not each.is_transaction] for document in step_runs
    ]
    results = [each for repeat in found for each in repeat if each.requests]
    if not results or not all(each.service_time_blocks for each in results):
        return None
    samples = service_samples(found, sum_counts(results))
    if samples.mean_interval() is not None:
        return None
    shortest = min(len(each.sums) for each in samples.repeats)
    why = (
        f"it has {shortest} blocks of time (at least {LEAST_BLOCKS} are needed)"
        if shortest < LEAST_BLOCKS
        else "neighbouring blocks of time are too much alike"
    )
    return NotEvaluated(
        f"the step is too short for its own swings, {why}, so its mean has no 95 % interval;"
        " raise durationSeconds or requests"
    )
