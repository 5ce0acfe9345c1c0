"""The result of one step, variant and request name, with its intervals and distribution.

Its fields are the table that the schema, CSV, tables, metrics and documentation are read from. A
number that is counted under the same name (`RequestCounts`) is filled in by its name.
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field

from solrbench.api.v1alpha1.conditions import (
    ColumnTitles,
    OnlyWith,
    PrometheusMetric,
    Shown,
    StatusModel,
    Unit,
    result_fields,
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


class ColumnGroup(StrEnum):
    """The columns that stay together where a terminal is too narrow for all."""

    NAMES = "names"
    """Which row it is; in each of several tables."""
    COUNTS = "counts"
    TIMES = "times"
    SPREAD = "spread"


class ResultColumn(StrEnum):
    """Titles of the columns of the result table in their order; `±` is the relative deviation."""

    STEP = "Step", ColumnGroup.NAMES
    VARIANT = "Variant", ColumnGroup.NAMES
    REQUEST = "Request", ColumnGroup.NAMES
    REPEATS = "Repeats", ColumnGroup.SPREAD
    REQUESTS = "Requests", ColumnGroup.COUNTS
    FAILURES = "Failures", ColumnGroup.COUNTS
    RATE = "Requests/s", ColumnGroup.COUNTS
    GOODPUT = "Goodput/s", ColumnGroup.COUNTS
    """Good responses in time, per second."""
    PER_THOUSAND = "Per 1000", ColumnGroup.COUNTS
    """The time in which a user sends 1000 requests."""
    RATE_DEVIATION = "± Requests/s", ColumnGroup.SPREAD
    AVERAGE = "Average", ColumnGroup.TIMES
    MIN = "Min", ColumnGroup.TIMES
    P50 = "P50", ColumnGroup.TIMES
    P75 = "P75", ColumnGroup.TIMES
    P95 = "P95", ColumnGroup.TIMES
    P99 = "P99", ColumnGroup.TIMES
    MAX = "Max", ColumnGroup.TIMES
    P95_DEVIATION = "± P95", ColumnGroup.SPREAD
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


_Time = Measure | None
_Percent = Measure | None


def _every(unit: Unit, column: ResultColumn, metric: str = "") -> Shown:
    """Show the same in a closed and an open loop."""
    return Shown(unit, ColumnTitles(column, column), PrometheusMetric(metric) if metric else None)


def _service(column: ResultColumn, metric: str) -> Shown:
    """Show a service time in rows of a closed loop."""
    return Shown(Unit.MILLISECONDS, ColumnTitles(closed=column), PrometheusMetric(metric))


def _service_quantile(columns: ColumnTitles, quantile: str) -> Shown:
    text = "Quantiles of the service time, from the merged histogram."
    return Shown(
        Unit.MILLISECONDS, columns, PrometheusMetric("step_service_time_seconds", quantile, text)
    )


def _deviation(columns: ColumnTitles, metric: str, only_with: OnlyWith | None = None) -> Shown:
    text = "Relative standard deviation of the repeats' quantiles; absent with one repeat."
    return Shown(Unit.PERCENT, columns, PrometheusMetric(metric, "0.95", text), only_with)


def _planned(column: ResultColumn, metric: str, unit: Unit = Unit.MILLISECONDS) -> Shown:
    """Show what only a planned rate has, in rows of an open loop."""
    return Shown(unit, ColumnTitles(open=column), PrometheusMetric(metric), OnlyWith.PLANNED_RATE)


def _response_quantile(column: ResultColumn, quantile: str) -> Shown:
    text = "Quantiles of the response time, from the merged histogram; only with a planned rate."
    metric = PrometheusMetric("step_response_time_seconds", quantile, text)
    return Shown(Unit.MILLISECONDS, ColumnTitles(open=column), metric, OnlyWith.PLANNED_RATE)


class StepResult(StatusModel):
    """One step, variant and request name, merged over all repeats that are stored."""

    step: Annotated[Text, _every(Unit.NONE, ResultColumn.STEP)]
    """Name of the step."""
    variant: Annotated[Text | None, _every(Unit.NONE, ResultColumn.VARIANT)] = None
    """Name of the variant; absent without variants."""
    request: Annotated[Text, _every(Unit.NONE, ResultColumn.REQUEST)]
    """Name of the request."""
    is_transaction: Annotated[Bool | None, Shown(Unit.NONE)] = None
    """Whether whole transactions are counted; their requests have results of their own."""
    repeats: Annotated[Count, _every(Unit.REPEATS, ResultColumn.REPEATS, "step_repeats")]
    """Repeats behind these numbers."""
    requests: Annotated[Count, _every(Unit.REQUESTS, ResultColumn.REQUESTS, "step_requests")]
    """Requests measured, failures included."""
    failures: Annotated[Count, _every(Unit.FAILURES, ResultColumn.FAILURES, "step_failures")]
    """Requests whose response was wrong, missing or late."""
    ramp_requests: Annotated[Count | None, Shown(Unit.REQUESTS, only_with=OnlyWith.RAMP)] = None
    """Requests sent while users were still being started, or the rate still rose; not in any other
    number."""
    requests_per_second: Annotated[
        Measure, _every(Unit.RATE, ResultColumn.RATE, "step_requests_per_second")
    ]
    """Requests divided by the seconds of the repeats; in steps of `durationSeconds`, requests that
    ended within that time divided by it."""
    requests_per_second_interval: Annotated[Interval | None, Shown(Unit.NONE)] = None
    """95 % confidence interval of the rate, as all intervals from how blocks of time differ; absent
    if the step was too short for its own swings."""
    goodput_requests_per_second: Annotated[
        Measure | None, _every(Unit.RATE, ResultColumn.GOODPUT, "step_goodput_requests_per_second")
    ] = None
    """Good responses per second that came within the shortest time limit of `spec.objectives` for
    them; absent without one."""
    average_milliseconds: Annotated[
        _Time, _service(ResultColumn.AVERAGE, "step_service_time_average_seconds")
    ] = None
    """Mean service time."""
    average_milliseconds_interval: Annotated[Interval | None, Shown(Unit.NONE)] = None
    """95 % confidence interval of the mean service time."""
    seconds_per_thousand_requests: Annotated[
        Measure | None, Shown(Unit.SECONDS, ColumnTitles(closed=ResultColumn.PER_THOUSAND))
    ] = None
    """Time in which one user sends 1000 requests, think time apart: the mean service time, times
    1000; only with users."""
    percentiles: Annotated[
        list[PercentileResult], Field(max_length=MAX_PERCENTILES), Shown(Unit.NONE)
    ] = []
    """Those of `load.percentiles`, with their 95 % confidence intervals."""
    min_milliseconds: Annotated[
        _Time, _service(ResultColumn.MIN, "step_service_time_min_seconds")
    ] = None
    """Shortest service time."""
    max_milliseconds: Annotated[
        _Time, _service(ResultColumn.MAX, "step_service_time_max_seconds")
    ] = None
    """Longest service time."""
    p50_milliseconds: Annotated[_Time, _service_quantile(ColumnTitles(ResultColumn.P50), "0.5")] = (
        None
    )
    """Median service time, from the merged histogram as all percentiles here."""
    p75_milliseconds: Annotated[
        _Time, _service_quantile(ColumnTitles(ResultColumn.P75), "0.75")
    ] = None
    """75th percentile of the service time."""
    p95_milliseconds: Annotated[
        _Time, _service_quantile(ColumnTitles(ResultColumn.P95, ResultColumn.SERVICE_P95), "0.95")
    ] = None
    """95th percentile of the service time."""
    p99_milliseconds: Annotated[
        _Time, _service_quantile(ColumnTitles(ResultColumn.P99), "0.99")
    ] = None
    """99th percentile of the service time."""
    requests_per_second_mean: Annotated[Measure | None, Shown(Unit.RATE)] = None
    """Mean of the repeats' rates."""
    requests_per_second_deviation_percent: Annotated[
        _Percent,
        _every(
            Unit.PERCENT, ResultColumn.RATE_DEVIATION, "step_requests_per_second_deviation_ratio"
        ),
    ] = None
    """Relative standard deviation of the repeats' rates; absent with one repeat."""
    p95_milliseconds_mean: Annotated[_Time, Shown(Unit.MILLISECONDS)] = None
    """Mean of the repeats' 95th percentiles."""
    p95_deviation_percent: Annotated[
        _Percent,
        _deviation(
            ColumnTitles(closed=ResultColumn.P95_DEVIATION), "step_service_time_deviation_ratio"
        ),
    ] = None
    """Relative standard deviation of the repeats' 95th percentiles; absent with one repeat."""
    response_average_milliseconds: Annotated[
        _Time, _planned(ResultColumn.AVERAGE, "step_response_time_average_seconds")
    ] = None
    """Mean response time, from the intended start on; as all response times only with a planned
    rate, with the time waited by requests that were dropped."""
    response_max_milliseconds: Annotated[
        _Time, _planned(ResultColumn.MAX, "step_response_time_max_seconds")
    ] = None
    """Longest response time."""
    response_average_milliseconds_interval: Annotated[Interval | None, Shown(Unit.NONE)] = None
    """95 % confidence interval of the mean response time."""
    response_p50_milliseconds: Annotated[_Time, _response_quantile(ResultColumn.P50, "0.5")] = None
    """Median response time."""
    response_p75_milliseconds: Annotated[_Time, _response_quantile(ResultColumn.P75, "0.75")] = None
    """75th percentile of the response time."""
    response_p95_milliseconds: Annotated[_Time, _response_quantile(ResultColumn.P95, "0.95")] = None
    """95th percentile of the response time."""
    response_p99_milliseconds: Annotated[_Time, _response_quantile(ResultColumn.P99, "0.99")] = None
    """99th percentile of the response time."""
    response_p95_deviation_percent: Annotated[
        _Percent,
        _deviation(
            ColumnTitles(open=ResultColumn.P95_DEVIATION),
            "step_response_time_deviation_ratio",
            OnlyWith.PLANNED_RATE,
        ),
    ] = None
    """Relative standard deviation of the repeats' 95th percentiles of the response time; absent
    with one repeat."""
    late_requests: Annotated[
        Count | None, _planned(ResultColumn.LATE, "step_late_requests", Unit.REQUESTS)
    ] = None
    """Requests sent more than 10 ms after their intended start; only with a planned rate."""
    dropped_requests: Annotated[
        Count | None, _planned(ResultColumn.DROPPED, "step_dropped_requests", Unit.REQUESTS)
    ] = None
    """Requests planned but never sent, for want of a free connection; in no other number but the
    response times."""
    steady_from_second: Annotated[
        Count | None, Shown(Unit.SECONDS, metric=PrometheusMetric("step_steady_from_seconds"))
    ] = None
    """Second from which the service times of all requests of the step were steady, in the worst
    repeat; absent if any repeat was too short or never became steady."""
    outlier_windows: Annotated[
        Count | None, Shown(Unit.WINDOWS, metric=PrometheusMetric("step_outlier_windows"))
    ] = None
    """Seconds of all repeats that are outliers, all requests of the step together."""
    drain_requests: Annotated[
        Count | None, Shown(Unit.REQUESTS, metric=PrometheusMetric("step_drain_requests"))
    ] = None
    """Requests that ended when no request was begun any more; within `requests`, but not in the
    rate, unless `users` send a number of `requests`."""
    drain_seconds: Annotated[
        Measure | None, Shown(Unit.SECONDS, metric=PrometheusMetric("step_drain_seconds"))
    ] = None
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


class Distribution(StatusModel):
    """How long all requests of one step and variant took."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    within: Annotated[list[Count], Field(max_length=len(BOUNDS_SECONDS))]
    """`within` counts the requests within 1, 2.5, 5, 10, 25, 50, 100, 250 and 500 ms, 1, 2.5, 5,
    10 and 30 s; with an arrival rate by their response time, else by their service time."""
    requests: Count
    """`requests` is the number of all, longer ones included."""
    total_seconds: Measure
    """`totalSeconds` is the sum of their times."""
