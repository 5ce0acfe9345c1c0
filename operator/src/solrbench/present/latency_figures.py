"""The cold-start curve: latency and cache hits of each thousand requests from the first one on."""

from collections.abc import Sequence

from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import (
    Option,
    base,
    bottom_axis,
    grid,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_milliseconds, format_percent
from solrbench.results.summary.cold_start import CurvePoint, cold_start, first_step_run
from solrbench.results.text.tables.table import Table

_MOST_POINTS = 300
_TABLE_ROWS = 40


def cold_start_curve(documents: Sequence[StepRunResult]) -> Figure | None:
    """Return the curve of the step run that was measured first; None with less than two points."""
    first = first_step_run(documents)
    points = [] if first is None else cold_start(first)
    if first is None or len(points) < 2:
        return None
    caches = sorted({cache for point in points for cache in point.hit_ratios})
    names = ["mean service time", *caches]
    shown = _thinned(points, _MOST_POINTS)
    option = base(
        grid=grid(right=8),
        xAxis=bottom_axis("Thousand requests", min=0, max=points[-1].number, minInterval=1),
        yAxis=[
            value_axis("Mean service time", "@milliseconds", min=0),
            value_axis(
                "Cache hits" if caches else "",
                "@percent",
                min=0,
                max=100,
                show=bool(caches),
                splitLine={"show": False},
                nameTextStyle={"color": "var(--muted)", "fontSize": 12, "align": "right"},
            ),
        ],
        tooltip={"trigger": "axis", "valueFormatter": "@number"},
        series=[
            line(
                names[0], 0, [_mean(each) for each in shown], lineStyle=_width(3), **_warm(points)
            ),
            *(
                line(cache, index, [_ratio(each, cache) for each in shown], yAxisIndex=1)
                for index, cache in enumerate(caches, start=1)
            ),
        ],
    )
    title = f"First requests of {first.id}"
    return Figure("cold-start", title, _text(points), option, legend(names), _table(points, caches))


def _width(width: int) -> Option:
    return {"width": width, "color": "var(--series-0)"}


def _mean(point: CurvePoint) -> tuple[float, float]:
    return point.number, rounded(point.window.mean_microseconds / 1000)


def _ratio(point: CurvePoint, cache: str) -> tuple[float, float | None]:
    ratio = point.hit_ratios.get(cache)
    return point.number, None if ratio is None else rounded(100 * ratio)


def _warm(points: Sequence[CurvePoint]) -> Option:
    """Return the shade behind the warm-up."""
    last = max((point.number for point in points if point.warm_up), default=0)
    if not last:
        return {}
    label: Option = {"color": "var(--muted)", "position": "insideTop", "fontSize": 12}
    area = [{"name": "warm-up", "xAxis": 0}, {"xAxis": last}]
    style: Option = {"color": "var(--shade)", "opacity": 1}
    return {"markArea": {"silent": True, "itemStyle": style, "label": label, "data": [area]}}


def _thinned(points: Sequence[CurvePoint], most: int) -> list[CurvePoint]:
    """Return all points at the beginning, where caches fill, and some of the many others."""
    head, rest = points[: most // 2], points[most // 2 :]
    stride = -(-len(rest) // (most - len(head))) or 1
    return [*head, *rest[stride - 1 :: stride]]


def _text(points: Sequence[CurvePoint]) -> str:
    first, last = points[0].window, points[-1].window
    return (
        "Mean service time of each thousand requests and the share of lookups that Solr's caches"
        f" answered. First thousand: {format_milliseconds(first.mean_microseconds / 1000)}, last:"
        f" {format_milliseconds(last.mean_microseconds / 1000)}."
    )


def _table(points: Sequence[CurvePoint], caches: Sequence[str]) -> Table:
    head = ("Thousand", "Part", "Time", "Mean", "Max", "Failures", *caches)
    rows = [
        (
            str(each.number),
            "warm-up" if each.warm_up else "step",
            format_milliseconds(1000 * each.window.seconds),
            format_milliseconds(each.window.mean_microseconds / 1000),
            format_milliseconds(each.window.max_microseconds / 1000),
            str(each.window.failures),
            *(_percent(each.hit_ratios.get(cache)) for cache in caches),
        )
        for each in _thinned(points, _TABLE_ROWS)
    ]
    return Table("Cold start", head, rows, texts=frozenset({"Part"}))


def _percent(ratio: float | None) -> str:
    return "" if ratio is None else format_percent(100 * ratio)
