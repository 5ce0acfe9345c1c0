"""The figure of a sweep's objective: how a benchmark has it, how points are compared by it.

The rate and the p95 of the last step are in fields of their own of each point, with the values of
all repeats of a benchmark. Any other figure is one number of a benchmark, over its repeats, so that
its repeats are the rounds of the sweep.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic.alias_generators import to_camel

from solrbench.analysis.metrics import (
    AVERAGE,
    DOCUMENTS,
    FAILED,
    INDEX_SIZE,
    INDEXING,
    P95,
    RATE,
    TIME_UNTIL_FOUND,
    ComparisonMetric,
    Scale,
    percentile_metric,
)
from solrbench.analysis.sentences import name_figure
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import CAPACITY_UNITS, INVALID
from solrbench.api.v1alpha1.objectives import SearchFor
from solrbench.api.v1alpha1.sweep import BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import (
    format_bytes,
    format_milliseconds,
    format_number,
    format_percent,
    share_percent,
)

METRICS: Mapping[Metric, ComparisonMetric] = {
    Metric.REQUESTS_PER_SECOND: RATE,
    Metric.DOCUMENTS_PER_SECOND: DOCUMENTS,
    Metric.MEAN_MILLISECONDS: AVERAGE,
    Metric.P50_MILLISECONDS: percentile_metric(50),
    Metric.P95_MILLISECONDS: P95,
    Metric.P99_MILLISECONDS: percentile_metric(99),
    Metric.FAILED_PERCENT: FAILED,
    Metric.TIME_UNTIL_FOUND: TIME_UNTIL_FOUND,
    Metric.CAPACITY: ComparisonMetric("capacity", "capacity", "", is_lower_better=False),
    Metric.INDEXING_SECONDS: INDEXING,
    Metric.INDEX_BYTES: INDEX_SIZE,
    Metric.CPU_MILLISECONDS_PER_REQUEST: ComparisonMetric(
        "cpuMillisecondsPerRequest", "CPU time per request", "ms"
    ),
    Metric.READS_PER_REQUEST: ComparisonMetric(
        "readsPerRequest", "number of disk reads per request", ""
    ),
    Metric.READ_BYTES_PER_REQUEST: ComparisonMetric(
        "readBytesPerRequest", "disk reads per request", "bytes"
    ),
}
_TIMES = (
    Metric.MEAN_MILLISECONDS,
    Metric.P50_MILLISECONDS,
    Metric.P95_MILLISECONDS,
    Metric.P99_MILLISECONDS,
)
_FEWEST_READS = {Metric.READS_PER_REQUEST: 0.01, Metric.READ_BYTES_PER_REQUEST: 0.01 * 4096}
"""One page of 4 KiB in a hundred requests, below which points do not differ: of 0 there is no
ratio."""
OF_TELEMETRY = (Metric.CPU_MILLISECONDS_PER_REQUEST, *_FEWEST_READS)
RATES = {Metric.REQUESTS_PER_SECOND: "requests/s", Metric.DOCUMENTS_PER_SECOND: "documents/s"}
"""Rates, whose unit says what they are."""
OF_BENCHMARK = (Metric.INDEXING_SECONDS, Metric.INDEX_BYTES)

_SEARCH_INDEXING = "load.capacity.indexing"

Body = Mapping[str, Any]


@dataclass(frozen=True)
class ObjectiveFigure:
    """The figure of the objective: which one, of which step, variant and request name."""

    metric: Metric
    step: str | None = None
    variant: str | None = None
    request: str | None = None
    unit: str = "requests/s"
    """Unit of the capacity, one of `CAPACITY_UNITS`."""

    @property
    def comparison(self) -> ComparisonMetric:
        """How points are compared by it."""
        return METRICS[self.metric]

    @property
    def has_field(self) -> bool:
        """Whether points have it in a field of its own, with the values of all repeats."""
        is_headline = self.step is None and self.variant is None and self.request is None
        return is_headline and self.metric in (Metric.REQUESTS_PER_SECOND, Metric.P95_MILLISECONDS)

    @property
    def words(self) -> str:
        """What a sentence calls it, such as `the p99 of check-out in evening through proxy`."""
        return name_figure(self.comparison.label, self.request or "") + self._place

    @property
    def title(self) -> str:
        """What an axis or a column calls it."""
        of_request = f" of {self.request}" if self.request else ""
        label, place = self.comparison.label, self._place
        if not place and self.metric not in (*OF_BENCHMARK, Metric.CAPACITY):
            place = " of the last step"
        return f"{label[:1].upper()}{label[1:]}{of_request}{place}"

    @property
    def _place(self) -> str:
        step = f" in {self.step}" if self.step else ""
        return step + (f" through {self.variant}" if self.variant else "")

    @property
    def leader(self) -> str:
        """What a sentence calls the point with the best mean."""
        if self.metric in RATES or self.metric in _TIMES:
            return "fastest"
        return "one with the best mean"

    def value(self, point: SweepPoint | BestPoint | Summary) -> float | None:
        """Return the value of a point, or of one of its benchmarks, over all repeats together."""
        if not self.has_field:
            return None if isinstance(point, Summary) else point.value
        if self.metric is Metric.REQUESTS_PER_SECOND:
            return point.requests_per_second
        return point.p95_milliseconds

    def has_value(self, value: float | None) -> bool:
        """Return whether a value can be compared: of 0 only shares can."""
        return value is not None and (value > 0 or self.comparison.scale is Scale.POINTS)

    def text(self, value: float | None) -> str:
        """Return a value with what it is of and its unit, such as `p95 70 ms`."""
        if value is None:
            return ""
        of_request, shown = f" of {self.request}" if self.request else "", self.short(value)
        is_rate = self.metric in RATES
        return shown + of_request if is_rate else f"{self.comparison.label}{of_request} {shown}"

    def short(self, value: float | None) -> str:
        """Return a value with its unit alone, for a cell of a table or figure."""
        if value is None:
            return ""
        if self.metric is Metric.FAILED_PERCENT:
            return format_percent(value)
        least = "at most " if value <= _FEWEST_READS.get(self.metric, -math.inf) else ""
        if self.comparison.unit == "bytes":
            return least + format_bytes(value)
        if self.comparison.unit == "ms":
            return format_milliseconds(value)
        unit = (RATES | {Metric.CAPACITY: self.unit}).get(self.metric, self.comparison.unit)
        return f"{least}{format_number(value)} {unit}".strip()

    def read(self, status: Body) -> float | None:
        """Return it from the stored status of a benchmark, over its repeats; None without it."""
        found: float | None
        dataset = status.get("dataset") or {}
        match self.metric:
            case Metric.INDEXING_SECONDS:
                found = dataset.get("seconds")
            case Metric.INDEX_BYTES:
                found = dataset.get("indexBytes")
            case Metric.CAPACITY:
                entry = self._entry(status.get("capacity") or [])
                found = entry.get(to_camel(CAPACITY_UNITS[self.unit]))
            case Metric.TIME_UNTIL_FOUND:
                found = self._time_until_found(status)
            case metric if metric in OF_TELEMETRY:
                found = self.of_step(status, "telemetry").get(self.comparison.name)
            case _:
                kind = "totals" if self.request is None else "results"
                found = self._of_requests(self.of_step(status, kind))
        return None if found is None else max(found, _FEWEST_READS.get(self.metric, found))

    def _time_until_found(self, status: Body) -> float | None:
        """Return the p95 of the slowest replica type; None if that of any is not known."""
        first, longest = self.of_step(status, "visibility"), 0.0
        for each in status.get("visibility") or []:
            if (each["step"], each.get("variant")) != (first.get("step"), first.get("variant")):
                continue
            percentiles = each.get("percentiles") or []
            times = [found["milliseconds"] for found in percentiles if found["percent"] == 95]
            # Beyond the share of the documents that were found, there is no percentile.
            if not times and each.get("notFound"):
                return None
            longest = max([*times, longest])
        return longest or None

    def is_invalid(self, status: Body) -> bool:
        """Return whether it is the time of indexing, and that of the index pods, not Solr's.

        The requests of the benchmark may be Valid then.
        """
        dataset = status.get("dataset") or {}
        return self.metric is Metric.INDEXING_SECONDS and dataset.get("verdict") == INVALID

    def _of_requests(self, result: Body) -> float | None:
        if self.metric is Metric.FAILED_PERCENT:
            requests = result.get("requests")
            return share_percent(result.get("failures", 0), requests) if requests else None
        # A metric has the name of its field; with a planned rate, times are response times.
        field = self.comparison.name
        response = f"response{field[:1].upper()}{field[1:]}"
        found: float | None = result.get(response, result.get(field))
        return found

    def of_step(self, status: Body, kind: str) -> Body:
        """Return the entry of the step, variant and request in a list of a stored status."""
        step = self.step or (status.get("summary") or {}).get("step")
        entries = [each for each in status.get(kind) or [] if each.get("step") == step]
        if self.request is not None and kind == "results":
            entries = [each for each in entries if each.get("request") == self.request]
        return self._entry(entries)

    def _entry(self, entries: Sequence[Body]) -> Body:
        """Return the entry of the variant, without one the first."""
        of_variant = (e for e in entries if self.variant in (None, e.get("variant")))
        return next(of_variant, {})


def drop_earlier_step(status: Body) -> Body:
    """Return a stored status, without figures in its summary if they are not of the last step.

    After a step that missed an objective with `failFast`, the next ones are not run: what it shows
    cannot be compared with what the last step of another point shows.
    """
    summary = status.get("summary") or {}
    totals, omitted = (
        [(each["step"], each.get("variant")) for each in status.get(name) or []]
        for name in ("totals", "notRun")
    )
    # The summary is that of the first variant.
    first = next((variant for step, variant in totals if step == summary.get("step")), None)
    if all(variant != first or (step, variant) in totals for step, variant in omitted):
        return status
    return {**status, "summary": {"verdict": summary.get("verdict", "")}}


def figure_of(spec: SweepSpec) -> ObjectiveFigure:
    """Return the figure of the objective of a sweep."""
    objective, given, unit = spec.objective, spec.template.part("load", "capacity"), "requests/s"
    paths = [path for axis in spec.axes for path in axis.paths]
    if spec.metric is not Metric.CAPACITY:
        pass  # two sweeps with other searches are compared by it
    elif given.get("searchFor") == SearchFor.USERS:
        unit = "users"
    elif "indexing" in given or any(path.startswith(_SEARCH_INDEXING) for path in paths):
        unit = "documents/s"
    return ObjectiveFigure(spec.metric, objective.step, objective.variant, objective.request, unit)
