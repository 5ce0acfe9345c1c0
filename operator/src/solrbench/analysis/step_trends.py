"""The trends of each step and variant over its repeats."""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.trends import MAX_TRENDS, Trend, TrendFigure, TrendWord
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import round_number
from solrbench.results.trends.rule import SeriesShape
from solrbench.results.trends.run_trends import RunTrend
from solrbench.results.trends.sentences import trend_message

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
    word = _word(figure, runs)
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


def _word(figure: TrendFigure, runs: Sequence[RunTrend]) -> TrendWord:
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
