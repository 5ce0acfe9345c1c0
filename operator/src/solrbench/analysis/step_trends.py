"""What grew in each step run, in each step over its repeats, and beside the baseline."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from solrbench.analysis.metrics import Difference, growth_metric, read_trend, store_trend
from solrbench.analysis.sentences import difference_sentence, format_growth
from solrbench.analysis.server_metrics import group_by_step
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import MAX_TREND_DIFFERENCES, Conclusion, TrendDifference
from solrbench.api.v1alpha1.findings import MAX_TRENDS, Trend, TrendConclusion, TrendFigure
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.server_document import CACHE_ENTRIES, ServerSeries
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.growth import Growth, SeriesShape, find_growth, full_from
from solrbench.stats.number_format import format_number, round_number
from solrbench.stats.series import SeriesPoint, Windows, cut_windows

MIN_TREND_SECONDS = 300.0
"""Shorter steps have no trends: a heap that warms up grows, too."""

_SERVERS = {
    "heap_after_gc_bytes": TrendFigure.HEAP,
    "resident_bytes": TrendFigure.MEMORY,
    "index_bytes": TrendFigure.INDEX,
}
_MIN_FAILED_PERCENT = 0.1
"""Growth of the share of failures that matters, in percentage points."""


@dataclass(frozen=True)
class RunTrend:
    """What one figure did in one step run.

    Attributes:
        server: node or pod whose figure it is; empty for what the load measured
        growth: what the rule found; in the figure's unit, per second
        limit: what it may grow to; None without a limit
        caches_fill: Solr's caches filled to the end, so a leak looks the same
    """

    figure: TrendFigure
    server: str
    growth: Growth
    latest: float
    limit: float | None = None
    caches_fill: bool = False


def run_trends(document: StepRunResult) -> tuple[RunTrend, ...]:
    """Return the trend of each figure that has one; of several servers the one that grows most."""
    if document.seconds < MIN_TREND_SECONDS:
        return ()
    rates, latency, failed = _of_load(document)
    series = [] if document.telemetry is None else document.telemetry.series
    entries = {each.server: each for each in series if each.figure == CACHE_ENTRIES}
    found = [
        *(_of_server(each, entries.get(each.server), rates) for each in series),
        _of_windows(TrendFigure.LATENCY, latency, rates),
        _of_windows(TrendFigure.FAILURES, failed, None, _MIN_FAILED_PERCENT),
    ]
    trends = [each for each in found if each is not None]
    # Of several servers the one counts that grows most: it is put in last.
    trends.sort(key=lambda each: (-_ORDER.index(each.growth.shape), -each.growth.slope))
    return tuple({each.figure: each for each in reversed(trends)}.values())


_ORDER = (
    SeriesShape.STEADY,
    SeriesShape.INCONCLUSIVE,
    SeriesShape.STEP,
    SeriesShape.SLOWS_DOWN,
    SeriesShape.GROWS,
)


def _of_server(
    series: ServerSeries, entries: ServerSeries | None, rates: Windows | None
) -> RunTrend | None:
    if series.figure not in _SERVERS:
        return None
    seconds, values = np.array(series.seconds), np.array(series.values)
    begin: float | None = 0.0
    if entries is not None and series.figure == "heap_after_gc_bytes":
        begin = full_from([*map(SeriesPoint, entries.seconds, entries.values)])
    kept = seconds >= (begin or 0.0)
    windows = Windows(seconds[kept].tolist(), values[kept].tolist())
    trend = _of_windows(_SERVERS[series.figure], windows, rates)
    return trend and replace(
        trend, server=series.server, limit=series.limit, caches_fill=begin is None
    )


def _of_load(document: StepRunResult) -> tuple[Windows | None, Windows, Windows]:
    """Return requests per second, mean service time in ms and share of failures in per cent.

    In a closed loop the rate is None: it follows from the response time, and would hide its growth.
    """
    totals = SecondSeries.merged(result.windows for result in document.single_requests)
    rates, latency, failed = [], [], []
    # The end of the step cuts the last second short.
    for second, requests, failures, spent, _ in totals[:-1]:
        rates.append(SeriesPoint(second, requests / document.window_seconds))
        if requests:
            latency.append(SeriesPoint(second, spent / requests / 1000))
            failed.append(SeriesPoint(second, 100 * failures / requests))
    load = cut_windows(rates, np.median) if document.users is None else None
    # The median of failures would be none up to the half of all seconds.
    return load, cut_windows(latency, np.median), cut_windows(failed, np.mean)


def _of_windows(
    figure: TrendFigure, windows: Windows, rates: Windows | None, least: float = 0.0
) -> RunTrend | None:
    load: list[float] | None = None
    if rates is not None and len(rates.values) >= 2:
        load = np.interp(windows.seconds, rates.seconds, rates.values).tolist()
    growth = find_growth(windows.seconds, windows.values, load, least=least)
    if growth is None:
        return None
    return RunTrend(figure, "", growth, float(np.median(windows.values[-3:])))


_NOT_GROWING = (TrendConclusion.STEADY, TrendConclusion.ROSE_ONCE)
_DIFFER = (Conclusion.WORSE, Conclusion.BETTER)

_SENTENCES = {
    TrendConclusion.STEADY: "did not grow relevantly: {}.",
    TrendConclusion.ROSE_ONCE: "rose once and was steady before and after: {}.",
    TrendConclusion.INCONCLUSIVE: "may have grown by {}; whether it did is undecided.",
    TrendConclusion.SLOWS_DOWN: "grew by {}, but less and less.",
}


def trend_message(trend: Trend, *, caches_fill: bool) -> str:
    """Return `The heap … grew by 41 MiB/h (95 % …). At this rate it is full in 9 h` and advice."""
    bounds = trend.lower_per_hour, trend.upper_per_hour
    growth = format_growth(trend.growth_per_hour, *bounds, trend.unit)
    figure = _FIGURES.get(trend.figure, trend.figure)
    sentence = _SENTENCES.get(TrendConclusion(trend.conclusion), "grew by {}.")
    text = f"{figure[0].upper()}{figure[1:]} {sentence.format(growth)}"
    if trend.full_in_hours is not None:
        text += f" At this rate it is full in {format_number(trend.full_in_hours)} h."
    if caches_fill:
        text += " Solr's caches were filling, which looks like a leak. Measure until they are full."
    elif trend.conclusion in (TrendConclusion.SLOWS_DOWN, TrendConclusion.INCONCLUSIVE):
        text += " Measure a longer step."
    return text


_FIGURES: dict[str, str] = {
    TrendFigure.HEAP: "the heap in use after garbage collection",
    TrendFigure.MEMORY: "the memory of the process",
    TrendFigure.LATENCY: "the mean service time",
    TrendFigure.FAILURES: "the share of failed requests",
    TrendFigure.INDEX: "the size of the index",
}
GROWS = {
    TrendFigure.HEAP: TrendConclusion.HEAP_GROWS,
    TrendFigure.MEMORY: TrendConclusion.MEMORY_GROWS,
    TrendFigure.LATENCY: TrendConclusion.LATENCY_GROWS,
    TrendFigure.FAILURES: TrendConclusion.FAILURES_GROW,
    TrendFigure.INDEX: TrendConclusion.INDEX_GROWS,
}
UNITS = {TrendFigure.LATENCY: "milliseconds", TrendFigure.FAILURES: "percent"}
_HOUR = 3600.0
_DAY = 0.95 * 24 * _HOUR
"""A step of a day: its windows begin with the first reading and end with the last one."""


def find_trends(
    spec: Spec, runs: Iterable[tuple[StepRunResult, Sequence[RunTrend]]]
) -> list[Trend]:
    """Return an entry for each step, variant and figure that has a trend, in their order.

    Of more than `MAX_TRENDS`, those that do not grow are left out first.
    """
    all_trends = ((document, trend) for document, trends in runs for trend in trends)
    merged = [
        _merge(step, variant, figure, own)
        for step, variant, trends in group_by_step(spec, all_trends)
        for figure in TrendFigure
        if (own := [trend for trend in trends if trend.figure is figure])
    ]
    kept = sorted(merged, key=lambda trend: trend.conclusion not in GROWS.values())[:MAX_TRENDS]
    return [trend for trend in merged if trend in kept]


def _merge(step: str, variant: str, figure: TrendFigure, runs: Sequence[RunTrend]) -> Trend:
    grown = [each.growth for each in runs]
    slope = sum(each.slope for each in grown) / len(grown)
    word = _trend_word(figure, runs)
    servers = {each.server for each in runs if each.server}
    left = [run.limit - run.latest for run in runs if run.limit is not None]
    full_in_hours = None
    if word is GROWS[figure] and left and slope > 0:
        full_in_hours = round_number(max(min(left), 0.0) / slope / _HOUR)
    trend = Trend(
        step=step,
        variant=variant or None,
        figure=figure,
        conclusion=word,
        server=servers.pop() if len(servers) == 1 else None,
        unit=UNITS.get(figure, "bytes"),
        growth_per_hour=round_number(_HOUR * slope),
        lower_per_hour=round_number(_HOUR * min(each.lower for each in grown)),
        upper_per_hour=round_number(_HOUR * max(each.upper for each in grown)),
        full_in_hours=full_in_hours,
        message="",
    )
    message = trend_message(trend, caches_fill=any(each.caches_fill for each in runs))
    if word is GROWS[figure] and min(each.seconds for each in grown) < _DAY:
        message += " In less than 24 h, a daily cycle of the load may look the same."
    return trend.model_copy(update={"message": message})


def _trend_word(figure: TrendFigure, runs: Sequence[RunTrend]) -> TrendConclusion:
    shapes = {run.growth.shape for run in runs}
    if shapes <= {SeriesShape.GROWS, SeriesShape.SLOWS_DOWN}:
        # Caches that fill to the end look like a leak.
        if any(run.caches_fill for run in runs):
            return TrendConclusion.INCONCLUSIVE
        is_slowing = SeriesShape.SLOWS_DOWN in shapes
        return TrendConclusion.SLOWS_DOWN if is_slowing else GROWS[figure]
    if shapes <= {SeriesShape.STEADY, SeriesShape.STEP}:
        return TrendConclusion.ROSE_ONCE if SeriesShape.STEP in shapes else TrendConclusion.STEADY
    return TrendConclusion.INCONCLUSIVE


def compare_trends(
    baseline: Sequence[Trend], candidate: Sequence[Trend], smallest_effect_percent: float
) -> list[TrendDifference]:
    """Return each metric of a step that both sides have, those that differ first."""
    known, effect = {_key(each): each for each in baseline}, smallest_effect_percent / 100
    found = [
        store_trend(_compare(known[_key(each)], each, effect), each.step, each.variant)
        for each in candidate
        if _key(each) in known
    ]
    return sorted(found, key=lambda each: each.conclusion not in _DIFFER)[:MAX_TREND_DIFFERENCES]


def _key(trend: Trend) -> tuple[str, str | None, str]:
    return trend.step, trend.variant, trend.figure


def _compare(baseline: Trend, candidate: Trend, smallest_effect: float) -> Difference:
    """Return the difference of two slopes with its interval.

    Both are measured apart, so the distances of their bounds add by squares (Zou and Donner 2008,
    Construction of confidence limits about effect measures).
    """
    first, second = baseline.growth_per_hour, candidate.growth_per_hour
    estimate = second - first
    low = estimate - hypot(second - candidate.lower_per_hour, baseline.upper_per_hour - first)
    high = estimate + hypot(candidate.upper_per_hour - second, first - baseline.lower_per_hour)
    margin = smallest_effect * abs(first)
    # What is steady on both sides is the same, however exactly it is known.
    is_steady = baseline.conclusion in _NOT_GROWING and candidate.conclusion in _NOT_GROWING
    if is_steady or (-margin <= low and high <= margin):
        conclusion = Conclusion.SAME
    elif low <= 0 <= high or candidate.figure == TrendFigure.INDEX:
        # An index grows with its updates, so a faster side's grows faster: that is no fault.
        conclusion = Conclusion.INCONCLUSIVE
    else:
        conclusion = Conclusion.WORSE if low > 0 else Conclusion.BETTER
    metric = growth_metric(candidate.figure, candidate.unit)
    return Difference(metric, first, second, estimate, (low, high), conclusion)


def growing(trends: Iterable[Trend]) -> list[Trend]:
    """Return those that grow, or did when the step ended."""
    still = (*_NOT_GROWING, TrendConclusion.INCONCLUSIVE)
    return [trend for trend in trends if trend.conclusion not in still]


def trend_difference_sentences(
    differences: Iterable[TrendDifference], baseline: str
) -> Iterator[str]:
    """Yield `In step soak, the growth of the heap … is 39 MiB/h higher than in juniper: worse`.

    Only of those that differ.
    """
    for stored in differences:
        if stored.conclusion in _DIFFER:
            through = f" through {stored.variant}" if stored.variant else ""
            figure = _FIGURES.get(stored.figure, stored.figure)
            subject = f"In step {stored.step}{through}, the growth of {figure}"
            yield difference_sentence(subject, read_trend(stored), f"in {baseline}")


def answer_trends(status: Status) -> Iterator[str]:
    """Yield a sentence for each entry of `status.trends` that grows."""
    for trend in growing(status.trends):
        through = f" ({trend.variant})" if trend.variant else ""
        server = f" on {trend.server}" if trend.server else ""
        message = f"{trend.message[:1].lower()}{trend.message[1:]}"
        yield f"In step {trend.step}{through}{server}, {message}"
