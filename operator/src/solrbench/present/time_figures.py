"""Latency, throughput and Solr's CPU of each repeat over a step, cut into parts of equal length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from solrbench.contract.second_series import SecondSums
from solrbench.contract.server_document import CPU_PERCENT
from solrbench.contract.step_document import StepRunResult
from solrbench.present.figure import (
    OptionPart,
    ReportFigure,
    legend,
    line,
    rounded,
    stacked,
    value_axis,
)
from solrbench.present.table import Column, NameColumn, NumberColumn, build_table
from solrbench.stats.number_format import format_milliseconds, format_number, format_percent


@dataclass
class TimeSlice:
    """Some seconds of one repeat, all its request names together."""

    second: float
    """When it began, counted from the begin of measuring."""
    seconds: int
    requests: int = 0
    failures: int = 0
    microseconds: int = 0
    """Sum of the service times."""
    slowest_microseconds: int = 0

    @property
    def milliseconds(self) -> float | None:
        """Mean service time; None without requests."""
        return self.microseconds / self.requests / 1000 if self.requests else None

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds

    def add(self, window: SecondSums) -> None:
        """Count the requests of a window."""
        self.requests += window.requests
        self.failures += window.failures
        self.microseconds += window.sum_microseconds
        self.slowest_microseconds = max(self.slowest_microseconds, window.max_microseconds)


def time_slices(document: StepRunResult, most: int) -> list[TimeSlice]:
    """Return the repeat in at most `most` slices; none without windows."""
    windows = [window for each in document.single_requests for window in each.windows]
    width = document.window_seconds
    # A last window that is cut short by the end of the step is left out.
    count = int(document.rate_seconds // width) if windows else 0
    each = -(-count // most) or 1
    slices = [
        TimeSlice(begin * width, width * min(each, count - begin))
        for begin in range(0, count, each)
    ]
    for window in windows:
        place = window.second // width
        if place < count:
            slices[place // each].add(window)
    return slices


MAX_REPEATS = 8
"""Repeats that are drawn; more lines cannot be distinguished."""

_PLACES = ((34, 130), (222, 110), (390, 90))
"""Top and height of each plot."""

_HEIGHTS = {2: 380, 3: 530}
"""Height of the figure with so many plots."""

_X_TITLE = "Seconds since the step began to be measured"
_AXES = (
    value_axis("Mean service time", "@milliseconds", gridIndex=0, min=0, splitNumber=4),
    value_axis("Requests/s", "@number", gridIndex=1, min=0, splitNumber=3),
    value_axis("CPU of the busiest Solr node, %", "@number", gridIndex=2, min=0, splitNumber=3),
)

_MAX_POINTS = 240
_TABLE_ROWS = 30


def over_time(name: str, title: str, documents: Sequence[StepRunResult]) -> ReportFigure | None:
    """Return the figure of the repeats of one step and variant; None without windows."""
    shown = {
        f"repeat {each.repeat}": time_slices(each, _MAX_POINTS) for each in documents[:MAX_REPEATS]
    }
    shown = {repeat: parts for repeat, parts in shown.items() if len(parts) > 1}
    if not shown:
        return None
    names = list(shown)
    cpu = {
        repeat: busiest_cpu
        for each in documents
        if (repeat := f"repeat {each.repeat}") in shown and (busiest_cpu := _busiest_cpu(each))
    }
    rows = 3 if cpu else 2
    last = max(each.second + each.seconds for parts in shown.values() for each in parts)
    series = [
        *_lines(names, 0, {r: [(p.second, p.milliseconds) for p in shown[r]] for r in names}),
        *_lines(names, 1, {r: [(p.second, p.rate) for p in shown[r]] for r in names}),
        *_lines(names, 2, cpu),
    ]
    option = stacked(_PLACES[:rows], _X_TITLE, last, _AXES[:rows], series)
    left_out = len(documents) - MAX_REPEATS
    more = f" {left_out} further repeats are not drawn." if left_out > 0 else ""
    used = [percent for points in cpu.values() for _, percent in points]
    if used:
        least, most = format_percent(min(used)), format_percent(max(used))
        more = f" CPU of the busiest Solr node: {least} to {most}.{more}"
    parts_shown = [
        (repeat, part)
        for repeat, parts in shown.items()
        for part in parts[:: -(-len(parts) // _TABLE_ROWS)]
    ]
    table, text = build_table("Over time", _COLUMNS, parts_shown, _NOTE), _description(shown) + more
    return ReportFigure(name, title, text, option, legend(names), table, _HEIGHTS[rows])


def _busiest_cpu(document: StepRunResult) -> list[tuple[float, float]]:
    """Return seconds and CPU, in per cent of its CPUs, of the node that used most on average."""
    series = document.telemetry.series if document.telemetry is not None else []
    nodes = [each for each in series if each.figure == CPU_PERCENT and each.values]
    if not nodes:
        return []
    most = max(nodes, key=lambda each: fmean(each.values))
    return list(zip(most.seconds, most.values, strict=False))


def _lines(
    names: Sequence[str], plot: int, points: Mapping[str, Sequence[tuple[float, float | None]]]
) -> list[OptionPart]:
    """Return a line for each repeat in one of the plots, in the colour of the repeat."""
    lines = []
    for repeat, drawn in points.items():
        shown = [(second, None if value is None else rounded(value)) for second, value in drawn]
        lines.append(line(repeat, names.index(repeat), shown, xAxisIndex=plot, yAxisIndex=plot))
    return lines


def _description(shown: dict[str, list[TimeSlice]]) -> str:
    sentences = []
    for repeat, parts in shown.items():
        times = [part.milliseconds for part in parts if part.milliseconds is not None]
        rates = [format_number(rounded(pick(part.rate for part in parts))) for pick in (min, max)]
        if times:
            spent = f"{format_milliseconds(min(times))} to {format_milliseconds(max(times))}"
            sentences.append(f"{repeat}: {spent}, {' to '.join(rates)} requests/s")
    return f"Mean service time and throughput over time. {'; '.join(sentences)}."


_COLUMNS: Sequence[Column[tuple[str, TimeSlice]]] = (
    NameColumn("Repeat", lambda row: row[0]),
    NameColumn("Second", lambda row: f"{row[1].second:g}"),
    NumberColumn("Requests", lambda row: row[1].requests),
    NumberColumn("Failures", lambda row: row[1].failures),
    NumberColumn("Mean", lambda row: row[1].milliseconds, format_milliseconds),
    NumberColumn(
        "Max",
        lambda row: row[1].slowest_microseconds / 1000 if row[1].requests else None,
        format_milliseconds,
    ),
    NumberColumn("Requests/s", lambda row: format_number(rounded(row[1].rate))),
)
_NOTE = "Every row is a part of the time; with many of them only some are shown."
