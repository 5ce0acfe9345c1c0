"""What a panel shows, in the words that all dashboards need."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["short", "s", "reqps", "bytes", "percentunit", "ops", "Bps", "dateTimeFromNow"]
Words = tuple[tuple[str, str, str], ...]
"""Value, text and colour."""

VERDICTS: Words = (
    ("0", "Invalid", "red"),
    ("0.5", "Inconclusive", "yellow"),
    ("1", "Valid", "green"),
)


@dataclass(frozen=True)
class PanelQuery:
    """A query and how its series are called; `{{label}}` stands for a label's value."""

    expression: str
    legend: str = "__auto"


@dataclass(frozen=True)
class PanelColumn:
    """A column of a table, or the bars of one colour.

    Its query is aggregated by the labels of the panel; `words` are shown instead of numbers.
    """

    title: str
    expression: str
    unit: Unit = "short"
    words: Words = ()


@dataclass(frozen=True)
class Panel:
    """What every panel has; `text` says in whole sentences what it shows.

    A dashboard has 24 columns, and as many rows as it needs.
    """

    title: str
    text: str
    width: int
    height: int = 8


@dataclass(frozen=True)
class SeriesPanel(Panel):
    """Numbers over time, of this moment as bars, or as one number each."""

    queries: tuple[PanelQuery, ...] = ()
    unit: Unit = "short"


class TimeSeries(SeriesPanel):
    """Lines over time."""


class BarGauge(SeriesPanel):
    """A bar for each series, as it is now."""


class Stat(SeriesPanel):
    """A number for each series, as it is now."""


class NameStat(SeriesPanel):
    """The name of each series."""


class StateTimeline(SeriesPanel):
    """A bar over time for each series, while it has samples."""


class Heatmap(SeriesPanel):
    """Counts of buckets."""


@dataclass(frozen=True)
class ColumnsPanel(Panel):
    """What has numbers for each combination of labels, which name a row."""

    labels: tuple[str, ...] = ()
    columns: tuple[PanelColumn, ...] = ()


@dataclass(frozen=True)
class TablePanel(ColumnsPanel):
    """A row for each combination of labels, sorted by the column `sort`."""

    sort: str = "benchmark"


@dataclass(frozen=True)
class BarChart(ColumnsPanel):
    """Bars of several colours beside each other, for each combination of labels."""

    unit: Unit = "short"
