"""Whether the mean or the percentile of one repeat is far above that of another.

The checks of `repeats` find a few per cent in repeats of half a minute. This one looks for what
makes numbers useless, and needs ten seconds. Where that may be chance, it says so.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.stats.number_format import format_milliseconds, format_percent
from solrbench.results.stats.repeats.differences import (
    RepeatDifference,
    compare_means,
    compare_percentiles,
)
from solrbench.results.summary.grouping import is_planned
from solrbench.results.summary.timed_samples import response_samples, service_samples
from solrbench.results.validity.checks.finding import EvaluatedRun, Finding, NotEvaluated, Outcome


class _Difference(NamedTuple):
    figure: str
    """What differs, as words."""
    found: RepeatDifference


def check_times(runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    """Compare means and percentiles of all requests; documents of older versions have no blocks."""
    repeats = [
        [each for each in run.document.requests if not each.is_transaction and each.requests]
        for run in runs
    ]
    if len(repeats) < 2 or not all(
        results and all(each.service_time_blocks for each in results) for results in repeats
    ):
        return None
    found = list(_differences(repeats, load))
    if not found:
        return None
    worst = max(found, key=lambda each: (each.found.is_certain, each.found.percent))
    return _outcome(worst, runs, load)


def _differences(repeats: Sequence[list[RequestResult]], load: Load) -> Iterator[_Difference]:
    """Yield the differences beyond the limit."""
    limit, percentile = load.validity.max_repeat_difference_percent, load.validity.percentile
    for kind, samples in _samples(repeats):
        found = {
            f"the mean {kind} time": compare_means(samples, limit),
            f"p{percentile} of the {kind} times": compare_percentiles(samples, percentile, limit),
        }
        yield from (_Difference(name, each) for name, each in found.items() if each is not None)


def _samples(
    repeats: Sequence[list[RequestResult]],
) -> Iterator[tuple[str, list[TimedSamples]]]:
    """Yield the service times of each repeat, and in an open loop its response times."""
    counted = [(results, sum_counts(results)) for results in repeats]
    yield "service", [service_samples([results], counts) for results, counts in counted]
    if is_planned(result for results in repeats for result in results):
        yield "response", [response_samples([results], counts) for results, counts in counted]


def _outcome(difference: _Difference, runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    figure, found = difference
    lower, higher = (
        (runs[index].document.repeat, format_milliseconds(microseconds / 1000))
        for index, microseconds in (
            (found.lower, found.lower_microseconds),
            (found.higher, found.higher_microseconds),
        )
    )
    limit = format_percent(load.validity.max_repeat_difference_percent)
    text = (
        f"{figure} of repeat {higher[0]}, {higher[1]}, is {format_percent(round(found.percent))}"
        f" above that of repeat {lower[0]}, {lower[1]}"
    )
    if found.is_certain:
        return Finding(
            found.percent, f"{text}, more than their blocks of time explain (limit {limit})"
        )
    return NotEvaluated(
        f"{text} (limit {limit}), and the repeats are too short to rule out chance;"
        " raise durationSeconds or requests"
    )
