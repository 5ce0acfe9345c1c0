"""Checks of the numbers themselves: whether repeats agree, and steps were steady and long enough.

Of short repeats only a difference that makes numbers useless can be seen; where it may be chance,
the check says so. Fresh targets that differ by more than step runs on one are a note, not a reason.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from itertools import product

from solrbench.analysis.checks import EvaluatedRun, NotEvaluated, Outcome, ValidityFinding, worst
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepSamples
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.stats.distributions import share_difference_error
from solrbench.stats.intervals import MIN_BATCHES
from solrbench.stats.number_format import format_milliseconds, format_percent, format_share
from solrbench.stats.outliers import second_means
from solrbench.stats.repeats import (
    MIN_SECONDS,
    Disagreement,
    batch_levels,
    compare_means,
    compare_percentiles,
    compare_repeats,
    compare_targets,
    find_drift,
    without_beginning,
)

_ERRORS = 4.0
"""Standard errors that two shares of empty results may be apart by chance."""


def mean_series(document: StepRunResult) -> "array[float]":
    """Return the mean service time of each window of a step run, most often a second, in µs."""
    seconds = second_means(document.single_requests)
    return array("f", (max(each.mean_microseconds, 1.0) for each in seconds))


def check_agreement(way: Disagreement, runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    """Look whether repeats differ in one way by more than their seconds explain."""
    if len(runs) < 2:
        return None
    series = [run.second_means for run in runs]
    shortest = min(runs, key=lambda run: len(run.second_means))
    count, width = len(shortest.second_means), shortest.document.window_seconds
    if count < MIN_SECONDS:
        return _once(
            way,
            f"{width * count} s with responses in a repeat are too few: a difference of a few per"
            f" cent shows from {width * MIN_SECONDS} on. Raise durationSeconds or requests",
        )
    limit = load.validity.max_repeat_deviation_percent
    agreement = compare_repeats(batch_levels(series), limit)
    if agreement is None:
        return _once(
            way,
            "the step is too short for the slow variation of its service times. Raise"
            " durationSeconds or requests",
        )
    percent = agreement.percents[way]
    if agreement.disagreement is way:
        what = _PHRASES[way].format(format_percent(abs(percent)), ("slower", "faster")[percent < 0])
        text = f"{what}, beyond chance (limit {format_percent(limit)})"
        return ValidityFinding(abs(percent), text)
    # What the seconds do not show is seen in longer steps; how far repeats differ, in more of them.
    is_open = agreement.is_imprecise or agreement.is_doubtful
    if agreement.disagreement is None and percent > limit and is_open:
        remedy = "durationSeconds" if agreement.is_imprecise else "load.repeats"
        return _once(
            way,
            f"the repeats differ by {format_percent(percent)} (limit {format_percent(limit)}),"
            f" which may be chance. Raise {remedy}",
        )
    return None


def _once(way: Disagreement, text: str) -> NotEvaluated | None:
    """Return a gap for one of the ways: what is missing is missing for all."""
    return NotEvaluated(text) if way is Disagreement.SPREAD else None


_PHRASES = {
    Disagreement.FIRST: "the first repeat is {} {} than the others",
    Disagreement.TREND: "each repeat is {} {} than the one before",
    Disagreement.SPREAD: "the mean service times of the repeats differ by {}",
}


def check_empty_increased(runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    """Compare the share of empty results of each name with that of the first repeat.

    The same queries on the same data find the same. Results that are lost between repeats look like
    a Solr that has become faster.
    """
    limit = load.validity.max_empty_increase_percent
    first, *others = [run.document for run in runs]
    return worst(
        _increase(before, after, other.repeat, limit)
        for other in others
        for before, after in product(first.requests, other.requests)
        if before.request == after.request and before.requests and after.requests
    )


def _increase(
    first: RequestResult, later: RequestResult, repeat: int, limit: float
) -> ValidityFinding | None:
    if first.empty_results is None or later.empty_results is None:
        return None
    before = first.empty_results / first.requests
    after = later.empty_results / later.requests
    error = share_difference_error(
        first.empty_results, first.requests, later.empty_results, later.requests
    )
    if after - before <= limit / 100 + _ERRORS * error:
        return None
    now = format_share(later.empty_results, later.requests)
    then = format_share(first.empty_results, first.requests)
    return ValidityFinding(
        after - before,
        f"{now} of the requests of {later.request} had empty results in repeat {repeat}, {then} in"
        f" the first (limit {format_percent(limit)} of the requests more)",
    )


def check_times(runs: Sequence[EvaluatedRun], load: Load) -> Outcome:
    """Compare means and percentiles of all requests."""
    repeats = [run.samples.of(ALL_REQUESTS) for run in runs]
    sent = [[each for each in repeat.results if each.requests] for repeat in repeats]
    if len(repeats) < 2 or not all(
        results and all(each.service_time_blocks for each in results) for results in sent
    ):
        return None
    limit, percentile = load.validity.max_repeat_difference_percent, load.validity.percentile
    kinds = {"service": [repeat.service for repeat in repeats]}
    if any(repeat.is_planned for repeat in repeats):
        kinds["response"] = [repeat.response for repeat in repeats]
    differences = [
        (name, difference)
        for kind, times in kinds.items()
        for name, difference in (
            (f"mean {kind} time", compare_means(times, limit)),
            (f"p{percentile} of the {kind} times", compare_percentiles(times, percentile, limit)),
        )
        if difference is not None
    ]
    if not differences:
        return None
    name, largest = max(differences, key=lambda each: (each[1].is_certain, each[1].percent))
    lower, higher = (runs[each].document.repeat for each in (largest.lower, largest.higher))
    least = format_milliseconds(largest.lower_microseconds / 1000)
    most = format_milliseconds(largest.higher_microseconds / 1000)
    text = (
        f"the {name} of repeat {higher} ({most}) is {format_percent(round(largest.percent))} above"
        f" that of repeat {lower} ({least})"
    )
    allowed = format_percent(limit)
    if largest.is_certain:
        return ValidityFinding(largest.percent, f"{text}, beyond chance (limit {allowed})")
    return NotEvaluated(
        f"{text} (limit {allowed}), and the repeats are too short to rule out chance."
        " Raise durationSeconds or requests"
    )


def check_steady(document: StepRunResult, load: Load) -> Outcome:
    """Compare the drift of the service times after the beginning with the limit.

    A warm-up that did not become steady is no reason by itself: its rule looks at few requests, and
    what follows may be steady all the same.
    """
    limit, series = load.validity.max_drift_percent, mean_series(document)
    if not series:
        return None  # nothing succeeded
    rest, width = without_beginning(series), document.window_seconds
    drift = find_drift(rest)
    if drift is None:
        whole, left, needed = (width * each for each in (len(series), len(rest), MIN_SECONDS))
        return NotEvaluated(
            f"of {whole} s with responses {left} s are left without the beginning, in"
            f" which service times settle: {needed} s are needed. Raise durationSeconds"
        )
    if abs(drift.percent) <= limit:
        return None
    way, seconds = "rose" if drift.percent > 0 else "fell", width * drift.seconds
    if not drift.is_certain:
        return NotEvaluated(
            f"the mean service time {way} by {format_percent(abs(drift.percent))} over the last"
            f" {seconds} s (limit {format_percent(limit)}), which may be chance. Raise"
            " durationSeconds"
        )
    warmed_up = document.warm_up_steady is not False
    before = "" if warmed_up else " after a warm-up that was not steady either"
    return ValidityFinding(
        abs(drift.percent),
        f"steady state was not reached{before}: the mean service time {way} by"
        f" {format_percent(abs(drift.percent))} in the last {seconds} s (limit"
        f" {format_percent(limit)})",
    )


def check_long_enough(step_samples: StepSamples) -> NotEvaluated | None:
    """Look for the interval of the mean of all requests."""
    samples = step_samples.of(ALL_REQUESTS)
    results = [each for each in samples.results if each.requests]
    if not results or not all(each.service_time_blocks for each in results):
        return None
    service = samples.service
    if service.mean_interval() is not None:
        return None
    shortest = service.number(
        "shortest", lambda times: min(len(blocks.sums) for blocks in times.repeats)
    )
    why = (
        f"it has {shortest} blocks of time (at least {MIN_BATCHES} are needed)"
        if shortest < MIN_BATCHES
        else "consecutive blocks of time are correlated"
    )
    return NotEvaluated(
        f"the step is too short for a 95 % confidence interval of its mean: {why}."
        " Raise durationSeconds or requests"
    )


MIN_TARGETS, MIN_STEP_RUNS = 3, 2
"""From one step run on a target it is not known what is of the target, and what is chance."""

_TARGETS_LEVEL = 0.01
"""Share of benchmarks with equal targets that get the note."""


def answer_targets(samples: BenchmarkSamples) -> Iterator[str]:
    """Yield by how much fresh targets differ, where the step runs on one do not explain it."""
    steps, times = [found for _, _, found in samples.steps()], dict[str, list[float]]()
    for run in (run for found in steps for run in found.runs):
        average = run.of(ALL_REQUESTS).service.average
        if run.target and average:
            times.setdefault(run.target, []).append(math.log(average))
    # Of a target that was lost, some steps are missing.
    whole = [row for row in times.values() if len(row) == len(steps)]
    is_fresh = samples.spec.load.repeats.start_on is RepeatStart.FRESH_TARGET
    if not is_fresh or len(whole) < MIN_TARGETS or len(steps) < MIN_STEP_RUNS:
        return
    between, within, tail = compare_targets(whole)
    if tail < _TARGETS_LEVEL:
        yield (
            f"The mean service times of {len(whole)} fresh targets differ by"
            f" {format_percent(between)} (standard deviation), step runs on one target by"
            f" {format_percent(within)}. Use more fresh targets (load.repeats.count) rather than"
            " longer steps."
        )
