"""Whether the repeats of a step agree with each other."""

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.number_format import format_percent, format_share
from solrbench.results.stats.per_second import second_means
from solrbench.results.stats.repeats.agreement import (
    MIN_SECONDS,
    Disagreement,
    RepeatAgreement,
    block_levels,
    compare_repeats,
)
from solrbench.results.validity.checks.finding import (
    CheckOfRepeats,
    EvaluatedRun,
    Finding,
    NotEvaluated,
    Outcome,
    worst,
)

_ERRORS = 4.0
"""Standard errors that two shares of empty results may be apart by chance."""


def mean_series(document: StepRunResult) -> "array[float]":
    """Return the mean service time of each whole second of a step run, in µs."""
    requests = [each for each in document.requests if not each.is_transaction]
    return array("f", (max(each.mean_microseconds, 1.0) for each in second_means(requests)))


def check_agreement(way: Disagreement) -> CheckOfRepeats:
    """Return the check whether repeats differ in one way by more than their seconds explain."""
    return partial(_check_agreement, way)


def _check_agreement(way: Disagreement, runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    if len(runs) < 2:
        return None
    series = [each.second_means for each in runs]
    shortest = min(map(len, series))
    if shortest < MIN_SECONDS:
        return _once(
            way,
            f"a repeat has responses in {shortest} whole seconds, and a difference of a few per"
            f" cent is seen from {MIN_SECONDS} on; raise durationSeconds or requests",
        )
    limit = load.validity.max_repeat_deviation_percent
    found = compare_repeats(block_levels(series), limit)
    if found is None:
        return _once(
            way,
            "the step is too short for the swings of its own service times; raise durationSeconds"
            " or requests",
        )
    return _finding(found, limit) if found.disagreement is way else None


def _once(way: Disagreement, text: str) -> NotEvaluated | None:
    """Return a gap for one of the ways: what is missing is missing for all."""
    return NotEvaluated(text) if way is Disagreement.SPREAD else None


def _finding(found: RepeatAgreement, limit: float) -> Finding:
    percent, text = {
        Disagreement.FIRST: (
            found.first_percent,
            "the mean service time of the first repeat is {} {} that of the others",
        ),
        Disagreement.TREND: (
            found.trend_percent,
            "the mean service time is {} {} in each repeat than in the one before",
        ),
        Disagreement.SPREAD: (
            found.spread_percent,
            "the mean service times of the repeats differ by {}",
        ),
    }[found.disagreement or Disagreement.SPREAD]
    words = ("higher", "lower") if found.disagreement is Disagreement.TREND else ("above", "below")
    what = text.format(format_percent(abs(percent)), words[percent < 0])
    return Finding(
        abs(percent),
        f"{what}, more than their seconds and a deviation of {format_percent(limit)} explain"
        f" (limit {format_percent(limit)})",
    )


def check_empty_increased(runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    """Compare the share of empty results of each name with that of the first repeat.

    The same queries on the same data find the same. Results that are lost between repeats look like
    a Solr that has become faster.
    """
    limit = load.validity.max_empty_increase_percent
    return worst(
        finding
        for first, later, repeat in _pairs([each.document for each in runs])
        if (finding := _increase(first, later, repeat, limit)) is not None
    )


def _pairs(
    step_runs: Sequence[StepRunResult],
) -> Iterator[tuple[RequestResult, RequestResult, int]]:
    """Yield each request name in the first repeat and in a later one, and which that is."""
    first, *others = step_runs
    for other in others:
        for before, after in product(first.requests, other.requests):
            if before.request == after.request and before.requests and after.requests:
                yield before, after, other.repeat


def _increase(
    first: RequestResult, later: RequestResult, repeat: int, limit: float
) -> Finding | None:
    if first.empty_results is None or later.empty_results is None:
        return None
    before = first.empty_results / first.requests
    after = later.empty_results / later.requests
    whole = (first.empty_results + later.empty_results) / (first.requests + later.requests)
    error = math.sqrt(whole * (1 - whole) * (1 / first.requests + 1 / later.requests))
    if after - before <= limit / 100 + _ERRORS * error:
        return None
    now = format_share(later.empty_results, later.requests)
    then = format_share(first.empty_results, first.requests)
    return Finding(
        after - before,
        f"{now} of the requests of {later.request} had empty results in repeat {repeat}, {then} in"
        f" the first (limit {format_percent(limit)} of the requests more)",
    )
