"""The result of one step, variant and request name, with its intervals and distribution.

Its fields are the table that the schema, CSV, tables, metrics and documentation are read from. A
number that is counted under the same name (`RequestCounts`) is filled in by its name.
"""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field

from solrbench.api.v1alpha1.conditions import (
    ColumnTitles,
    OnlyWith,
    PrometheusMetric,
    Shown,
    StatusModel,
    StepPart,
    Unit,
    result_fields,
    shown,
)
from solrbench.api.v1alpha1.fields import Bool, Count, Measure, Text
from solrbench.api.v1alpha1.load import MAX_PERCENTILES


class Interval(StatusModel):
    """A 95 % confidence interval, in the unit of its number."""

    lower: Measure
    """Lower bound."""
    upper: Measure
    """Upper bound."""


class PercentileResult(StatusModel):
    """One of `load.percentiles`."""

    percent: Annotated[float, Field(ge=0, le=100)]
    """Share of the requests that took no longer, in per cent."""
    milliseconds: Measure
    """The percentile: of the response time with a planned rate, else of the service time."""
    lower_milliseconds: Measure | None = None
    """Lower bound of its 95 % confidence interval; absent, as the upper one, if the step was too
    short for it."""
    upper_milliseconds: Measure | None = None
    """Upper bound."""

    @property
    def interval(self) -> Interval | None:
        """Both bounds; None if they are absent."""
        if self.lower_milliseconds is None or self.upper_milliseconds is None:
            return None
        return Interval(lower=self.lower_milliseconds, upper=self.upper_milliseconds)


class ColumnGroup(StrEnum):
    """The columns that stay together where a terminal is too narrow for all."""

    NAMES = "names"
    """Which row it is; in each of several tables."""
    COUNTS = "counts"
    TIMES = "times"
    SPREAD = "spread"


class ResultColumn(StrEnum):
    """Titles of the columns of the result table in their order; `SD` is the standard deviation."""

    STEP = "Step", ColumnGroup.NAMES
    VARIANT = "Variant", ColumnGroup.NAMES
    REQUEST = "Request", ColumnGroup.NAMES
    REPEATS = "Repeats", ColumnGroup.SPREAD
    REQUESTS = "Requests", ColumnGroup.COUNTS
    FAILURES = "Failures", ColumnGroup.COUNTS
    RATE = "Requests/s", ColumnGroup.COUNTS
    DOCUMENTS = "Documents/s", ColumnGroup.COUNTS
    GOODPUT = "Goodput/s", ColumnGroup.COUNTS
    """Good responses in time, per second."""
    PER_THOUSAND = "Per 1000", ColumnGroup.COUNTS
    """The time in which a user sends 1000 requests."""
    RATE_DEVIATION = "SD requests/s", ColumnGroup.SPREAD
    AVERAGE = "Mean", ColumnGroup.TIMES
    MIN = "Min", ColumnGroup.TIMES
    P50 = "P50", ColumnGroup.TIMES
    P75 = "P75", ColumnGroup.TIMES
    P95 = "P95", ColumnGroup.TIMES
    P99 = "P99", ColumnGroup.TIMES
    MAX = "Max", ColumnGroup.TIMES
    P95_DEVIATION = "SD P95", ColumnGroup.SPREAD
    SERVICE_P95 = "Service P95", ColumnGroup.TIMES
    LATE = "Late", ColumnGroup.COUNTS
    DROPPED = "Dropped", ColumnGroup.COUNTS
    VERDICT = "Verdict", ColumnGroup.COUNTS
    """Of the step, so no field of its results."""

    group: ColumnGroup

    def __new__(cls, title: str, group: ColumnGroup) -> Self:
        """Make a member whose value is its title."""
        member = str.__new__(cls, title)
        member._value_ = title
        member.group = group
        return member

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers, which are set flush right."""
        return self.group is not ColumnGroup.NAMES and self is not ResultColumn.VERDICT


_Number = Measure | None


def _every(unit: Unit, column: ResultColumn, metric: str = "") -> Shown:
    """Show the same in a closed and an open loop."""
    return Shown(unit, ColumnTitles(column, column), PrometheusMetric(metric) if metric else None)


def _service(column: ResultColumn, metric: str) -> Any:
    """Show a service time in rows of a closed loop."""
    columns = ColumnTitles(closed=column)
    return Shown(Unit.MILLISECONDS, columns, PrometheusMetric(metric)).optional()


def _service_quantile(columns: ColumnTitles, quantile: str) -> Any:
    text = "Quantiles of the service time, from the merged histogram."
    metric = PrometheusMetric("step_service_time_seconds", quantile, text)
    return Shown(Unit.MILLISECONDS, columns, metric).optional()


def _deviation(columns: ColumnTitles, metric: str, only_with: OnlyWith | None = None) -> Any:
    text = "Relative standard deviation of the repeats' quantiles; absent with one repeat."
    return Shown(
        Unit.PERCENT, columns, PrometheusMetric(metric, "0.95", text), only_with
    ).optional()


def _planned(column: ResultColumn, metric: PrometheusMetric, unit: Unit = Unit.MILLISECONDS) -> Any:
    """Show what only a planned rate has, in rows of an open loop."""
    return Shown(unit, ColumnTitles(open=column), metric, OnlyWith.PLANNED_RATE).optional()


def _response_quantile(column: ResultColumn, quantile: str) -> Any:
    text = "Quantiles of the response time, from the merged histogram; only with a planned rate."
    return _planned(column, PrometheusMetric("step_response_time_seconds", quantile, text))


class StepResult(StatusModel):
    """One step, variant and request name, merged over all repeats that are stored."""

    step: Annotated[Text, _every(Unit.NONE, ResultColumn.STEP)]
    """Name of the step."""
    variant: Text | None = _every(Unit.NONE, ResultColumn.VARIANT).optional()
    """Name of the variant; absent without variants."""
    request: Annotated[Text, _every(Unit.NONE, ResultColumn.REQUEST)]
    """Name of the request."""
    is_transaction: Bool | None = Shown(Unit.NONE).optional()
    """Whether whole transactions are counted; their requests have results of their own."""
    repeats: Annotated[Count, _every(Unit.REPEATS, ResultColumn.REPEATS, "step_repeats")]
    """Repeats behind these numbers."""
    requests: Annotated[Count, _every(Unit.REQUESTS, ResultColumn.REQUESTS, "step_requests")]
    """Requests measured, failures included."""
    failures: Annotated[Count, _every(Unit.FAILURES, ResultColumn.FAILURES, "step_failures")]
    """Requests whose response was wrong, missing or late."""
    ramp_requests: Count | None = Shown(Unit.REQUESTS, only_with=OnlyWith.RAMP).optional()
    """Requests sent while users were still being started, or the rate still rose; not in any other
    number."""
    requests_per_second: Annotated[
        Measure, _every(Unit.RATE, ResultColumn.RATE, "step_requests_per_second")
    ]
    """Requests divided by the seconds of the repeats; in steps of `durationSeconds`, requests that
    ended within that time divided by it."""
    requests_per_second_interval: Interval | None = Shown(Unit.NONE).optional()
    """95 % confidence interval of the rate, as all intervals from how blocks of time differ; absent
    if the step was too short for its own swings."""
    documents_per_second: _Number = _every(
        Unit.DOCUMENTS_PER_SECOND, ResultColumn.DOCUMENTS, "step_documents_per_second"
    ).optional()
    """Documents of good responses per second; only of steps with `indexing`."""
    documents_per_second_interval: Interval | None = Shown(Unit.NONE).optional()
    """95 % confidence interval of that rate."""
    goodput_requests_per_second: _Number = _every(
        Unit.RATE, ResultColumn.GOODPUT, "step_goodput_requests_per_second"
    ).optional()
    """Good responses per second that came within the shortest time limit of `spec.objectives` for
    them; absent without one."""
    average_milliseconds: _Number = _service(
        ResultColumn.AVERAGE, "step_service_time_average_seconds"
    )
    """Mean service time."""
    average_milliseconds_interval: Interval | None = Shown(Unit.NONE).optional()
    """95 % confidence interval of the mean service time."""
    seconds_per_thousand_requests: _Number = Shown(
        Unit.SECONDS, ColumnTitles(closed=ResultColumn.PER_THOUSAND)
    ).optional()
    """Time in which one user sends 1000 requests, think time apart: the mean service time, times
    1000; only with users."""
    percentiles: Annotated[
        list[PercentileResult], Field(max_length=MAX_PERCENTILES), Shown(Unit.NONE)
    ] = []
    """Those of `load.percentiles`, with their 95 % confidence intervals."""
    min_milliseconds: _Number = _service(ResultColumn.MIN, "step_service_time_min_seconds")
    """Shortest service time."""
    max_milliseconds: _Number = _service(ResultColumn.MAX, "step_service_time_max_seconds")
    """Longest service time."""
    p50_milliseconds: _Number = _service_quantile(ColumnTitles(ResultColumn.P50), "0.5")
    """Median service time, from the merged histogram as all percentiles here."""
    p75_milliseconds: _Number = _service_quantile(ColumnTitles(ResultColumn.P75), "0.75")
    """75th percentile of the service time."""
    p95_milliseconds: _Number = _service_quantile(
        ColumnTitles(ResultColumn.P95, ResultColumn.SERVICE_P95), "0.95"
    )
    """95th percentile of the service time."""
    p99_milliseconds: _Number = _service_quantile(ColumnTitles(ResultColumn.P99), "0.99")
    """99th percentile of the service time."""
    requests_per_second_mean: _Number = Shown(Unit.RATE).optional()
    """Mean of the repeats' rates."""
    requests_per_second_deviation_percent: _Number = _every(
        Unit.PERCENT, ResultColumn.RATE_DEVIATION, "step_requests_per_second_deviation_ratio"
    ).optional()
    """Relative standard deviation of the repeats' rates; absent with one repeat."""
    p95_milliseconds_mean: _Number = Shown(Unit.MILLISECONDS).optional()
    """Mean of the repeats' 95th percentiles."""
    p95_deviation_percent: _Number = _deviation(
        ColumnTitles(closed=ResultColumn.P95_DEVIATION), "step_service_time_deviation_ratio"
    )
    """Relative standard deviation of the repeats' 95th percentiles; absent with one repeat."""
    response_average_milliseconds: _Number = _planned(
        ResultColumn.AVERAGE, PrometheusMetric("step_response_time_average_seconds")
    )
    """Mean response time, from the intended start on; as all response times only with a planned
    rate, with the time waited by requests that were dropped."""
    response_max_milliseconds: _Number = _planned(
        ResultColumn.MAX, PrometheusMetric("step_response_time_max_seconds")
    )
    """Longest response time."""
    response_average_milliseconds_interval: Interval | None = Shown(Unit.NONE).optional()
    """95 % confidence interval of the mean response time."""
    response_p50_milliseconds: _Number = _response_quantile(ResultColumn.P50, "0.5")
    """Median response time."""
    response_p75_milliseconds: _Number = _response_quantile(ResultColumn.P75, "0.75")
    """75th percentile of the response time."""
    response_p95_milliseconds: _Number = _response_quantile(ResultColumn.P95, "0.95")
    """95th percentile of the response time."""
    response_p99_milliseconds: _Number = _response_quantile(ResultColumn.P99, "0.99")
    """99th percentile of the response time."""
    response_p95_deviation_percent: _Number = _deviation(
        ColumnTitles(open=ResultColumn.P95_DEVIATION),
        "step_response_time_deviation_ratio",
        OnlyWith.PLANNED_RATE,
    )
    """Relative standard deviation of the repeats' 95th percentiles of the response time; absent
    with one repeat."""
    late_requests: Count | None = _planned(
        ResultColumn.LATE, PrometheusMetric("step_late_requests"), Unit.REQUESTS
    )
    """Requests sent more than 10 ms after their intended start; only with a planned rate."""
    dropped_requests: Count | None = _planned(
        ResultColumn.DROPPED, PrometheusMetric("step_dropped_requests"), Unit.REQUESTS
    )
    """Requests planned but never sent, for want of a free connection; in no other number but the
    response times."""
    steady_from_second: Count | None = shown(Unit.SECONDS, "step_steady_from_seconds")
    """Second from which the service times of all requests of the step were steady, in the worst
    repeat; absent if any repeat was too short or never became steady."""
    outlier_windows: Count | None = shown(Unit.WINDOWS, "step_outlier_windows")
    """Windows of all repeats, of a second or longer, that are outliers; all requests together."""
    drain_requests: Count | None = shown(Unit.REQUESTS, "step_drain_requests")
    """Requests that ended when no request was begun any more; within `requests`, but not in the
    rate, unless `users` send a number of `requests`."""
    drain_seconds: _Number = shown(Unit.SECONDS, "step_drain_seconds")
    """Longest time, of all repeats, from then to the last response."""

    @property
    def is_open_loop(self) -> bool:
        """Whether it is that of a planned rate, so that there are response times."""
        return self.dropped_requests is not None


RESULT_FIELDS = result_fields(StepResult)
"""The table."""


BOUNDS_SECONDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
"""Upper bounds of the buckets: those of Prometheus' clients, and some for searches that hang."""


class Distribution(StepPart):
    """How long all requests of one step and variant took."""

    within: Annotated[list[Count], Field(max_length=len(BOUNDS_SECONDS))]
    """`within` counts the requests within 1, 2.5, 5, 10, 25, 50, 100, 250 and 500 ms, 1, 2.5, 5,
    10 and 30 s; with an arrival rate by their response time, else by their service time."""
    requests: Count
    """`requests` is the number of all, longer ones included."""
    total_seconds: Measure
    """`totalSeconds` is the sum of their times."""
