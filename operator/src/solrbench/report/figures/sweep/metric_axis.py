"""The figure of `spec.objective` as an axis."""

from typing import NamedTuple

from solrbench.api.v1alpha1.status.summaries import Summary
from solrbench.api.v1alpha1.sweep.spec import Metric
from solrbench.report.sweep.model import PointReport
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.sweep.results.best_point import figure_of


class MetricAxis(NamedTuple):
    """How the figure of the objective is read and written.

    Attributes:
        metric: the figure
        name: on axes and in titles
        formatter: function of `assets/figure.js` that writes its labels

    """

    metric: Metric
    name: str
    formatter: str

    def value(self, point: PointReport) -> float | None:
        """Return the figure of a point."""
        return figure_of(point.result, self.metric)

    def value_of(self, summary: Summary) -> float | None:
        """Return the figure of a benchmark."""
        return figure_of(summary, self.metric)

    def text(self, value: float | None) -> str:
        """Return it with its unit; empty if there is none."""
        if value is None:
            return ""
        if self.metric is Metric.P95_MILLISECONDS:
            return format_milliseconds(value)
        return f"{format_number(value)} requests/s"


def metric_axis(metric: Metric) -> MetricAxis:
    """Return the axis of a figure."""
    if metric is Metric.P95_MILLISECONDS:
        return MetricAxis(metric, "P95 of the last step", "@milliseconds")
    return MetricAxis(metric, "Requests/s of the last step", "@number")
