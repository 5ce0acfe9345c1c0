"""What grew in each step over its repeats, in words, and beside what grew in the baseline."""

from collections.abc import Iterable, Iterator, Sequence
from math import hypot

from solrbench.analysis.server_metrics import group_by_step
from solrbench.analysis.trends import RunTrend, SeriesShape
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import MAX_TREND_DIFFERENCES, Conclusion, TrendDifference
from solrbench.api.v1alpha1.findings import MAX_TRENDS, Trend, TrendConclusion, TrendFigure
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import format_number, round_number


def per_hour(growth: float, lower: float, upper: float, unit: str) -> str:
    """Return `41 MiB/h (95 %: 37 to 45)`."""
    name, scale = _SHOWN_UNITS[unit]
    shown, low, high = (format_number(each / scale) for each in (growth, lower, upper))
    return f"{shown} {name}/h (95 %: {low} to {high})"


GROWS = {
    TrendFigure.HEAP: TrendConclusion.HEAP_GROWS,
    TrendFigure.MEMORY: TrendConclusion.MEMORY_GROWS,
    TrendFigure.LATENCY: TrendConclusion.LATENCY_GROWS,
    TrendFigure.FAILURES: TrendConclusion.FAILURES_GROW,
    TrendFigure.INDEX: TrendConclusion.INDEX_GROWS,
}
UNITS = {TrendFigure.LATENCY: "milliseconds", TrendFigure.FAILURES: "percent"}
_SHOWN_UNITS = {
    "bytes": ("MiB", 1 << 20),
    "milliseconds": ("ms", 1),
    "percent": ("percentage points", 1),
}
_HOUR = 3600.0
_DAY = 0.95 * 24 * _HOUR
"""A step of a day: its windows begin with the first reading and end with the last one."""


def find_trends(
    spec: Spec, runs: Iterable[tuple[StepRunResult, Sequence[RunTrend]]]
) -> list[Trend]:
    """Return an entry for each step, variant and figure that has a trend, in their order."""
    all_trends = ((document, trend) for document, trends in runs for trend in trends)
    merged = [
        _merge(step, variant, figure, own)
        for step, variant, trends in group_by_step(spec, all_trends)
        for figure in TrendFigure
        if (own := [trend for trend in trends if trend.figure is figure])
    ]
    # Those that do not grow are left out first.
    kept = sorted(merged, key=lambda trend: trend.word not in GROWS.values())[:MAX_TRENDS]
    return [trend for trend in merged if trend in kept]


def _merge(step: str, variant: str, figure: TrendFigure, runs: Sequence[RunTrend]) -> Trend:
    grown = [each.growth for each in runs]
    slope = sum(each.slope for each in grown) / len(grown)
    fills = any(each.caches_fill for each in runs)
    shapes, word = {each.shape for each in grown}, TrendConclusion.UNCLEAR
    # A word needs all repeats. Caches that fill to the end look like a leak.
    if shapes == {SeriesShape.GROWS} and not fills:
        word = GROWS[figure]
    elif shapes <= {SeriesShape.GROWS, SeriesShape.SLOWS_DOWN} and not fills:
        word = TrendConclusion.SLOWS_DOWN
    elif shapes <= {SeriesShape.STEADY, SeriesShape.STEP}:
        once = SeriesShape.STEP in shapes
        word = TrendConclusion.ROSE_ONCE if once else TrendConclusion.STEADY
    lower, upper = min(each.lower for each in grown), max(each.upper for each in grown)
    numbers = [round_number(_HOUR * each) for each in (slope, lower, upper)]
    limits = [run.limit - run.latest for run in runs if run.limit is not None]
    full_in_hours = None
    if word is GROWS[figure] and limits and slope > 0:
        full_in_hours = round_number(max(min(limits), 0.0) / slope / _HOUR)
    unit, servers = UNITS.get(figure, "bytes"), {each.server for each in runs if each.server}
    # The other words name their figure, or are no answer.
    named = f"{figure} {word}" if word is TrendConclusion.SLOWS_DOWN else word
    message = f"{named} {per_hour(numbers[0], numbers[1], numbers[2], unit)}"
    if full_in_hours is not None:
        message += f", full in {format_number(full_in_hours)} h"
    if fills:
        message += (
            "; Solr's caches filled to the end, and a leak looks the same: measure for longer"
        )
    elif word in (TrendConclusion.UNCLEAR, TrendConclusion.SLOWS_DOWN):
        message += "; measure for longer"
    elif word is GROWS[figure] and min(each.seconds for each in grown) < _DAY:
        message += "; in less than 24 h, a wave of the day looks the same"
    return Trend(
        step=step,
        variant=variant or None,
        figure=figure,
        word=word,
        server=servers.pop() if len(servers) == 1 else None,
        unit=unit,
        growth_per_hour=numbers[0],
        lower_per_hour=numbers[1],
        upper_per_hour=numbers[2],
        full_in_hours=full_in_hours,
        message=message,
    )


_NOT_GROWING = (TrendConclusion.STEADY, TrendConclusion.ROSE_ONCE)
_DIFFERENT = (Conclusion.WORSE, Conclusion.BETTER)


def compare_trends(before: Sequence[Trend], after: Sequence[Trend]) -> list[TrendDifference]:
    """Return each figure of a step that both sides have, those that differ first."""
    known = {(each.step, each.variant, each.figure): each for each in before}
    found = [
        _compare(baseline, each)
        for each in after
        if (baseline := known.get((each.step, each.variant, each.figure))) is not None
    ]
    found.sort(key=lambda each: each.word not in _DIFFERENT)
    return found[:MAX_TREND_DIFFERENCES]


def _compare(before: Trend, after: Trend) -> TrendDifference:
    first, second = before.growth_per_hour, after.growth_per_hour
    difference = second - first
    # Both are measured apart, so the distances of their bounds add by squares (Zou and Donner 2008,
    # Construction of confidence limits about effect measures).
    below = hypot(second - after.lower_per_hour, before.upper_per_hour - first)
    above = hypot(after.upper_per_hour - second, first - before.lower_per_hour)
    word = Conclusion.UNCLEAR
    if before.word in _NOT_GROWING and after.word in _NOT_GROWING:
        # What is steady on both sides is the same, however exactly it is known.
        word = Conclusion.SAME
    elif difference - below > 0:
        word = Conclusion.WORSE
    elif difference + above < 0:
        word = Conclusion.BETTER
    return TrendDifference(
        step=after.step,
        variant=after.variant,
        figure=after.figure,
        unit=after.unit,
        baseline_per_hour=first,
        growth_per_hour=second,
        difference_per_hour=round_number(difference),
        low_per_hour=round_number(difference - below),
        high_per_hour=round_number(difference + above),
        word=word,
    )


def trend_difference_sentences(
    differences: Iterable[TrendDifference], baseline: str
) -> Iterator[str]:
    """Yield sentences such as `HeapAfterGc of soak grows by 39 MiB/h (95 %: 33 to 45) more …`."""
    for difference in differences:
        if difference.word not in _DIFFERENT:
            continue
        sign, more = (1, "more") if difference.word is Conclusion.WORSE else (-1, "less")
        low, high = sorted((sign * difference.low_per_hour, sign * difference.high_per_hour))
        through = f" through {difference.variant}" if difference.variant else ""
        amount = per_hour(sign * difference.difference_per_hour, low, high, difference.unit)
        yield (
            f"{difference.figure} of {difference.step}{through} grows by {amount} {more}"
            f" than in {baseline}:"
            f" {difference.word}"
        )


def answer_trends(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.trends` that grows."""
    del spec
    return [
        f"{trend.step}{f' ({trend.variant})' if trend.variant else ''}: {trend.message}"
        f"{f' ({trend.server})' if trend.server else ''}"
        for trend in status.trends
        if trend.word not in {*_NOT_GROWING, TrendConclusion.UNCLEAR}
    ]
