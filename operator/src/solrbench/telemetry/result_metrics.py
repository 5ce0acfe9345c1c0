"""Metrics of results: of the stored step runs, merged over all repeats."""

from collections.abc import Callable, Iterable, Iterator

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status.results import ColdStart, OpenLoopStats, StepResult
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.validity.verdict import VALID
from solrbench.telemetry.metric_family import MetricFamily, Sample

_Entry = StepResult | OpenLoopStats | ColdStart | StepVerdict


def _numbers(
    read: Callable[[SolrBenchmark], Iterable[_Entry]], field: str, divisor: int
) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    def samples(benchmark: SolrBenchmark) -> Iterator[Sample]:
        for each in read(benchmark):
            number = getattr(each, field)
            yield _labels(each), None if number is None else number / divisor

    return samples


def _results(field: str, divisor: int = 1) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    return _numbers(lambda benchmark: benchmark.status.results, field, divisor)


def _open_loop(field: str, divisor: int = 1) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    return _numbers(lambda benchmark: benchmark.status.open_loop, field, divisor)


def _cold_start(field: str, divisor: int = 1) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    def starts(benchmark: SolrBenchmark) -> list[ColdStart]:
        return [] if benchmark.status.cold_start is None else [benchmark.status.cold_start]

    return _numbers(starts, field, divisor)


def _quantiles(prefix: str = "") -> Callable[[SolrBenchmark], Iterator[Sample]]:
    percents = {"0.5": 50, "0.75": 75, "0.95": 95, "0.99": 99}

    def samples(benchmark: SolrBenchmark) -> Iterator[Sample]:
        for result in benchmark.status.results:
            for quantile, percent in percents.items():
                milliseconds = getattr(result, f"{prefix}p{percent}_milliseconds")
                seconds = None if milliseconds is None else milliseconds / 1000
                yield (*_labels(result), quantile), seconds

    return samples


def _valid(benchmark: SolrBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.verdicts:
        yield _labels(each), each.verdict == VALID


def _invalid_reasons(benchmark: SolrBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.verdicts:
        for reason in each.reasons:
            yield (*_labels(each), reason.reason), 1


def _labels(entry: _Entry) -> tuple[str, ...]:
    """Return the values of the labels in `_RESULT` or, without a request name, in `_STEP`."""
    request = (entry.request,) if isinstance(entry, StepResult) else ()
    return entry.step, *request, entry.variant or ""


_STEP = ("step", "variant")
_RESULT = ("step", "request", "variant")
"""An empty `variant` is no label at all to Prometheus."""

RESULT_FAMILIES = (
    MetricFamily(
        "step_repeats", "Repeats behind the step's numbers.", _results("repeats"), _RESULT
    ),
    MetricFamily(
        "step_requests",
        "Requests measured, failures included.",
        _results("requests"),
        _RESULT,
    ),
    MetricFamily(
        "step_failures",
        "Requests whose response was wrong, missing or late.",
        _results("failures"),
        _RESULT,
    ),
    MetricFamily(
        "step_requests_per_second",
        "Requests divided by the seconds of the repeats.",
        _results("requests_per_second"),
        _RESULT,
    ),
    MetricFamily(
        "step_requests_per_second_deviation_ratio",
        "Sample standard deviation of the repeats' rates divided by their mean.",
        _results("requests_per_second_deviation_percent", 100),
        _RESULT,
    ),
    MetricFamily(
        "step_service_time_average_seconds",
        "Mean service time.",
        _results("average_milliseconds", 1000),
        _RESULT,
    ),
    MetricFamily(
        "step_service_time_min_seconds",
        "Shortest service time.",
        _results("min_milliseconds", 1000),
        _RESULT,
    ),
    MetricFamily(
        "step_service_time_max_seconds",
        "Longest service time.",
        _results("max_milliseconds", 1000),
        _RESULT,
    ),
    MetricFamily(
        "step_service_time_p95_deviation_ratio",
        "Sample standard deviation of the repeats' 95th percentiles divided by their mean.",
        _results("p95_deviation_percent", 100),
        _RESULT,
    ),
    MetricFamily(
        "step_steady_from_seconds",
        "Seconds after which service times were steady; none if they never were.",
        _results("steady_from_second"),
        _RESULT,
    ),
    MetricFamily(
        "step_outlier_windows",
        "Outlier seconds of the step.",
        _results("outlier_windows"),
        _RESULT,
    ),
    MetricFamily(
        "step_service_time_seconds",
        "Quantiles of the service time, from the merged histogram.",
        _quantiles(),
        (*_RESULT, "quantile"),
        kind="summary",
    ),
    MetricFamily(
        "step_response_time_average_seconds",
        "Mean response time; only with an arrival rate, as the following.",
        _results("response_average_milliseconds", 1000),
        _RESULT,
    ),
    MetricFamily(
        "step_response_time_max_seconds",
        "Longest response time.",
        _results("response_max_milliseconds", 1000),
        _RESULT,
    ),
    MetricFamily(
        "step_response_time_p95_deviation_ratio",
        "Sample standard deviation of the repeats' 95th percentiles divided by their mean.",
        _results("response_p95_deviation_percent", 100),
        _RESULT,
    ),
    MetricFamily(
        "step_response_time_seconds",
        "Quantiles of the response time, from the merged histogram.",
        _quantiles("response_"),
        (*_RESULT, "quantile"),
        kind="summary",
    ),
    MetricFamily(
        "step_late_requests",
        "Requests sent more than 10 ms after their intended start.",
        _results("late_requests"),
        _RESULT,
    ),
    MetricFamily(
        "step_dropped_requests",
        "Requests scheduled but never sent, because no connection was free.",
        _results("dropped_requests"),
        _RESULT,
    ),
    MetricFamily(
        "step_planned_arrivals",
        "Requests or complete transactions that were scheduled; only with an arrival rate,"
        " as the following.",
        _open_loop("planned_arrivals"),
        _STEP,
    ),
    MetricFamily(
        "step_sent_arrivals",
        "Arrivals that were sent, late ones included.",
        _open_loop("sent_arrivals"),
        _STEP,
    ),
    MetricFamily(
        "step_late_arrivals",
        "Arrivals sent more than 10 ms after their intended start.",
        _open_loop("late_arrivals"),
        _STEP,
    ),
    MetricFamily(
        "step_dropped_arrivals",
        "Arrivals never sent, because no connection was free.",
        _open_loop("dropped_arrivals"),
        _STEP,
    ),
    MetricFamily(
        "step_send_lag_p99_seconds",
        "99th percentile of the load worker's own delay of sending, of the worst worker and"
        " repeat.",
        _open_loop("lag_p99_milliseconds", 1000),
        _STEP,
    ),
    MetricFamily(
        "step_send_lag_max_seconds",
        "Longest delay of sending by a load worker itself.",
        _open_loop("lag_max_milliseconds", 1000),
        _STEP,
    ),
    MetricFamily(
        "cold_start_first_thousand_seconds",
        "Time from the first request sent to the end of the thousandth, of the first step run.",
        _cold_start("first_thousand_seconds"),
        _STEP,
    ),
    MetricFamily(
        "cold_start_first_thousand_service_time_average_seconds",
        "Mean service time of the first thousand requests of the first step run.",
        _cold_start("first_thousand_average_milliseconds", 1000),
        _STEP,
    ),
    MetricFamily(
        "cold_start_first_thousand_service_time_max_seconds",
        "Longest service time of the first thousand requests of the first step run.",
        _cold_start("first_thousand_max_milliseconds", 1000),
        _STEP,
    ),
    MetricFamily(
        "cold_start_steady_service_time_average_seconds",
        "Mean service time of the steady part of that step run; none if it never was steady.",
        _cold_start("steady_average_milliseconds", 1000),
        _STEP,
    ),
    MetricFamily(
        "step_valid",
        "1 if the step is Valid, 0 if it is Invalid.",
        _valid,
        _STEP,
    ),
    MetricFamily(
        "step_invalid_reason",
        "Always 1; why the step is Invalid is in the label.",
        _invalid_reasons,
        (*_STEP, "reason"),
    ),
)
