"""The rows of a table of results: each step's request names, then all its requests together."""

from collections.abc import Iterable, Iterator

from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.steps.step_result import StepResult


def results_with_totals(status: Status) -> list[StepResult]:
    """Return the results of each step, then its totals if it has several request names.

    One name is its own total.
    """
    return list(_with_totals(status))


def _with_totals(status: Status) -> Iterator[StepResult]:
    for step in dict.fromkeys(each.step for each in status.results):
        results = [each for each in status.results if each.step == step]
        yield from results
        if len(_names(results)) > 1:
            yield from (each for each in status.totals if each.step == step)


def _names(results: Iterable[StepResult]) -> set[str]:
    return {each.request for each in results if not each.is_transaction}
