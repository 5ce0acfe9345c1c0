"""The trends of each step and variant over its repeats.

Trends in words.

What grows on one side beside what grows on the other: a leak against a clean run.

What grew, one sentence for each figure of a step.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import hypot

from solrbench.analysis.trends import RunTrend, SeriesShape
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import MAX_TREND_DIFFERENCES, TrendDifference, Word
from solrbench.api.v1alpha1.findings import MAX_TRENDS, Trend, TrendFigure, TrendWord
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.number_format import format_number, round_number

_MEBIBYTE = 1 << 20
_NO_GROWTH_SHOWN = (TrendWord.STEADY, TrendWord.UNCLEAR, TrendWord.ROSE_ONCE)


def trend_message(trend: Trend, *, caches_fill: bool = False) -> str:
    """Return the numbers of a trend, such as `HeapGrows 41 MiB/h (95 %: 37 to 45), full in 9 h`."""
    growth = trend.growth_per_hour, trend.lower_per_hour, trend.upper_per_hour
    text = f"{trend.word} {per_hour(*growth, trend.unit)}"
    if trend.full_in_hours is not None:
        text += f", full in {format_number(trend.full_in_hours)} h"
    if caches_fill:
        text += "; Solr's caches filled to the end, and a leak looks the same: measure for longer"
    elif trend.word == TrendWord.UNCLEAR:
        text += "; measure for longer"
    return text


def per_hour(growth: float, lower: float, upper: float, unit: str) -> str:
    """Return `41 MiB/h (95 %: 37 to 45)`."""
    shown, low, high = (_amount(each, unit) for each in (growth, lower, upper))
    return f"{shown} {_unit(unit)}/h (95 %: {low} to {high})"


def trend_sentences(trends: Iterable[Trend]) -> list[str]:
    """Return a sentence for each figure that grows."""
    return [
        f"{_step(each)}: {each.message}{f' ({each.server})' if each.server else ''}"
        for each in trends
        if each.word not in _NO_GROWTH_SHOWN
    ]


def _step(trend: Trend) -> str:
    return f"{trend.step} ({trend.variant})" if trend.variant else trend.step


def _amount(number: float, unit: str) -> str:
    return format_number(number / _MEBIBYTE if unit == "bytes" else number)


def _unit(unit: str) -> str:
    return {"bytes": "MiB", "milliseconds": "ms", "percent": "percentage points"}[unit]


GROWS = {
    TrendFigure.HEAP: TrendWord.HEAP_GROWS,
    TrendFigure.MEMORY: TrendWord.MEMORY_GROWS,
    TrendFigure.LATENCY: TrendWord.LATENCY_GROWS,
    TrendFigure.FAILURES: TrendWord.FAILURES_GROW,
    TrendFigure.INDEX: TrendWord.INDEX_GROWS,
}
UNITS = {
    TrendFigure.LATENCY: "milliseconds",
    TrendFigure.FAILURES: "percent",
}
_HOUR = 3600.0


def find_trends(
    spec: Spec, runs: Iterable[tuple[StepRunResult, Sequence[RunTrend]]]
) -> list[Trend]:
    """Return an entry for each step, variant and figure that has a trend, in their order.

    Of more than `MAX_TRENDS`, those that do not grow are left out first.
    """
    found: dict[tuple[str, str, TrendFigure], list[RunTrend]] = {}
    for document, trends in runs:
        for each in trends:
            found.setdefault((document.step, document.variant, each.figure), []).append(each)
    merged = [
        _merge(step.name, variant, figure, found[step.name, variant, figure])
        for step in spec.load.steps
        for variant in variant_names(spec)
        for figure in TrendFigure
        if (step.name, variant, figure) in found
    ]
    kept = sorted(merged, key=lambda each: each.word not in GROWS.values())[:MAX_TRENDS]
    return [each for each in merged if each in kept]


def _merge(step: str, variant: str, figure: TrendFigure, runs: Sequence[RunTrend]) -> Trend:
    grown = [each.growth for each in runs]
    slope = sum(each.slope for each in grown) / len(grown)
    word = _trend_word(figure, runs)
    servers = {each.server for each in runs if each.server}
    trend = Trend(
        step=step,
        variant=variant or None,
        figure=figure,
        word=word,
        server=servers.pop() if len(servers) == 1 else None,
        unit=UNITS.get(figure, "bytes"),
        growth_per_hour=round_number(_HOUR * slope),
        lower_per_hour=round_number(_HOUR * min(each.lower for each in grown)),
        upper_per_hour=round_number(_HOUR * max(each.upper for each in grown)),
        full_in_hours=_full_in_hours(runs, slope) if word is GROWS[figure] else None,
        message="",
    )
    fills = any(each.caches_fill for each in runs)
    return trend.model_copy(update={"message": trend_message(trend, caches_fill=fills)})


def _trend_word(figure: TrendFigure, runs: Sequence[RunTrend]) -> TrendWord:
    """Return the word on which all repeats agree."""
    shapes = {each.growth.shape for each in runs}
    if shapes == {SeriesShape.GROWS}:
        # Caches that fill to the end look like a leak.
        fills = any(each.caches_fill for each in runs)
        return TrendWord.UNCLEAR if fills else GROWS[figure]
    if shapes <= {SeriesShape.STEADY, SeriesShape.STEP}:
        return TrendWord.ROSE_ONCE if SeriesShape.STEP in shapes else TrendWord.STEADY
    return TrendWord.UNCLEAR


def _full_in_hours(runs: Sequence[RunTrend], slope: float) -> float | None:
    limits = [each.limit - each.latest for each in runs if each.limit is not None]
    if not limits or slope <= 0:
        return None
    return round_number(max(min(limits), 0.0) / slope / _HOUR)


_NOT_GROWING = (TrendWord.STEADY, TrendWord.ROSE_ONCE)


def compare_trends(before: Sequence[Trend], after: Sequence[Trend]) -> list[TrendDifference]:
    """Return each figure of a step that both sides have, those that differ first."""
    known = {_key(each): each for each in before}
    found = [_compare(known[_key(each)], each) for each in after if _key(each) in known]
    found.sort(key=lambda each: each.word not in (Word.WORSE, Word.BETTER))
    return found[:MAX_TREND_DIFFERENCES]


def _key(trend: Trend) -> tuple[str, str | None, str]:
    return trend.step, trend.variant, trend.figure


def _compare(before: Trend, after: Trend) -> TrendDifference:
    """Return the difference of two slopes with its interval.

    Both are measured apart, so the distances of their bounds add by squares (Zou and Donner 2008,
    Construction of confidence limits about effect measures).
    """
    first, second = before.growth_per_hour, after.growth_per_hour
    difference = second - first
    below = hypot(second - after.lower_per_hour, before.upper_per_hour - first)
    above = hypot(after.upper_per_hour - second, first - before.lower_per_hour)
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
        word=_difference_word(before, after, difference - below, difference + above),
    )


def _difference_word(before: Trend, after: Trend, low: float, high: float) -> Word:
    """Return the word; what is steady on both sides is the same, however exactly it is known."""
    if before.word in _NOT_GROWING and after.word in _NOT_GROWING:
        return Word.SAME
    if low > 0:
        return Word.WORSE
    return Word.BETTER if high < 0 else Word.UNCLEAR


def trend_difference_sentences(
    differences: Iterable[TrendDifference], baseline: str
) -> Iterator[str]:
    """Yield `HeapAfterGc of soak grows by 39 MiB/h (95 %: 33 to 45) more than in juniper: Worse`.

    Only of those that differ.
    """
    for each in differences:
        if each.word not in (Word.WORSE, Word.BETTER):
            continue
        sign, more = (1, "more") if each.word is Word.WORSE else (-1, "less")
        low, high = sorted((sign * each.low_per_hour, sign * each.high_per_hour))
        through = f" through {each.variant}" if each.variant else ""
        amount = per_hour(sign * each.difference_per_hour, low, high, each.unit)
        yield (
            f"{each.figure} of {each.step}{through} grows by {amount} {more} than in {baseline}:"
            f" {each.word}"
        )


def answer_trends(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.trends` that grows."""
    del spec
    return trend_sentences(status.trends)
