"""Metrics of results: the numbers of each step with their intervals, and the verdicts.

Families of numbers are made from the tables of the status (`Shown`); those of verdicts are here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from solrbench.api.v1alpha1.comparisons import ColdStart, FigureComparison, OpenLoopStats
from solrbench.api.v1alpha1.conditions import (
    PrometheusMetric,
    ResultField,
    StatusModel,
    result_fields,
)
from solrbench.api.v1alpha1.findings import StepVerdict, StepVisibility
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.step_result import Interval, StepResult
from solrbench.metrics.family import (
    DISTRIBUTION_FAMILY,
    BenchmarkFamily,
    Sample,
    ShownBenchmark,
)
from solrbench.metrics.findings import OBJECTIVE_FAMILIES, TREND_FAMILIES, VERDICT_NUMBERS
from solrbench.stats.number_format import scaled

Results = Callable[[ShownBenchmark], Iterable[StepResult]]
Labels = Callable[[StepResult], tuple[str, ...]]
Samples = Callable[[ShownBenchmark], Iterator[Sample]]

_INTERVALS = (
    ("requests_per_second_interval", "requests_per_second{}", "the rate", "requests/s", 1.0),
    (
        "average_milliseconds_interval",
        "service_time_average{}_seconds",
        "the mean service time",
        "s",
        1000.0,
    ),
    (
        "response_average_milliseconds_interval",
        "response_time_average{}_seconds",
        "the mean response time",
        "s",
        1000.0,
    ),
)
"""Field, metric with a place for the bound, what it is of, unit and divisor."""

_PERCENTILES = (
    (
        "percentile_seconds",
        "milliseconds",
        (
            "Percentiles of `load.percentiles`: response times with a planned rate, else service"
            " times."
        ),
    ),
    ("percentile_lower_seconds", "lower_milliseconds", "Their lower 95 % confidence bound."),
    ("percentile_upper_seconds", "upper_milliseconds", "Their upper 95 % confidence bound."),
)


def _interval_families(
    prefix: str, results: Results, labels: Labels, label_names: tuple[str, ...]
) -> Iterator[BenchmarkFamily]:
    for field, name, what, unit, divisor in _INTERVALS:
        for bound in Interval.model_fields:
            yield BenchmarkFamily(
                prefix + name.format(f"_{bound}"),
                f"The {bound} bound of the 95 % confidence interval of {what}; absent if the step"
                " was too short for one.",
                _bounds(results, labels, field, bound, divisor),
                label_names,
                unit=unit,
            )
    for name, field, text in _PERCENTILES:
        yield BenchmarkFamily(
            prefix + name,
            text,
            _percentiles(results, labels, field),
            (*label_names, "quantile"),
            kind="summary",  # what Prometheus wants of a label `quantile`
            unit="s",
        )


def _bounds(results: Results, labels: Labels, field: str, bound: str, divisor: float) -> Samples:
    return lambda benchmark: (
        (labels(result), getattr(interval, bound) / divisor)
        for result in results(benchmark)
        if (interval := getattr(result, field)) is not None
    )


def _percentiles(results: Results, labels: Labels, field: str) -> Samples:
    # 99.9 / 100 is 0.9990000000000001, which would be another label.
    return lambda benchmark: (
        ((*labels(result), f"{each.percent / 100:g}"), scaled(getattr(each, field), 1000))
        for result in results(benchmark)
        for each in result.percentiles
    )


_Entry = StepResult | OpenLoopStats | ColdStart | StepTelemetry | StepVerdict
_Read = Callable[[ShownBenchmark], Iterable[_Entry]]

_STEP = ("step", "variant")
_RESULT = ("step", "request", "variant")
"""An empty `variant` is no label at all to Prometheus."""


def _labels(entry: _Entry) -> tuple[str, ...]:
    """Return the values of the labels in `_RESULT` or, without a request name, in `_STEP`."""
    request = (entry.request,) if isinstance(entry, StepResult) else ()
    return entry.step, *request, entry.variant or ""


def _families(
    model: type[StatusModel], read: _Read, labels: tuple[str, ...]
) -> Iterator[BenchmarkFamily]:
    """Return the families of the fields of `model`, which `read` finds in a benchmark."""
    # Several fields may be one metric: each percentile is a sample with its own quantile.
    by_name: dict[str, list[tuple[PrometheusMetric, ResultField]]] = {}
    for field in result_fields(model):
        if metric := field.shown.metric:
            by_name.setdefault(metric.name, []).append((metric, field))
    for name, parts in by_name.items():
        (metric, field), *_ = parts
        yield BenchmarkFamily(
            name,
            metric.text or field.text,
            _samples(read, parts),
            (*labels, "quantile") if metric.quantile else labels,
            kind="summary" if metric.quantile else "gauge",
            unit=field.shown.unit.metric_unit,
        )


def _samples(read: _Read, parts: Sequence[tuple[PrometheusMetric, ResultField]]) -> Samples:
    return lambda benchmark: (
        (
            (*_labels(entry), *([metric.quantile] if metric.quantile else [])),
            scaled(getattr(entry, field.name), field.shown.unit.divisor),
        )
        for entry in read(benchmark)
        for metric, field in parts
    )


def _totals(benchmark: ShownBenchmark) -> list[StepResult]:
    return benchmark.status.totals


def _step_labels(total: StepResult) -> tuple[str, ...]:
    return total.step, total.variant or ""


_METRIC_LABELS = ("step", "variant", "request", "figure")


def _compared(benchmark: ShownBenchmark) -> Iterator[tuple[tuple[str, ...], FigureComparison]]:
    """Return the labels of each figure that is compared with the baseline, and the figure."""
    comparison = benchmark.status.comparison
    for each in [] if comparison is None else comparison.figures:
        yield (each.step or "", each.variant or "", each.request or "", each.figure), each


def _found_by(entry: StepVisibility) -> tuple[str, str, str]:
    return entry.step, entry.variant or "", entry.replica_type or ""


RESULT_FAMILIES = (
    *OBJECTIVE_FAMILIES,
    *_families(StepResult, lambda b: b.status.results, _RESULT),
    *_interval_families("step_", lambda b: b.status.results, _labels, _RESULT),
    # Of totals only these: sums and means of the results give the rest.
    BenchmarkFamily(
        "step_all_requests_per_second",
        "Rate of all requests of the step together.",
        lambda b: [(_step_labels(total), total.requests_per_second) for total in _totals(b)],
        _STEP,
        unit="requests/s",
    ),
    *_interval_families("step_all_", _totals, _step_labels, _STEP),
    DISTRIBUTION_FAMILY,
    BenchmarkFamily(
        "comparison_difference_ratio",
        "Difference of a figure from that of the baseline; of shares of failures, their"
        " difference.",
        lambda b: [(labels, each.difference_percent / 100) for labels, each in _compared(b)],
        _METRIC_LABELS,
        unit="ratio, 0.01 = 1 %",
    ),
    BenchmarkFamily(
        "comparison_conclusion",
        "Always 1; whether the figure is Better, Worse, Same or Inconclusive is in the label"
        " `conclusion`. Where `on_target` is true, that is about one target.",
        lambda b: [
            ((*labels, each.conclusion, str(each.on_target).lower()), 1)
            for labels, each in _compared(b)
            if each.conclusion
        ],
        (*_METRIC_LABELS, "conclusion", "on_target"),
        unit="always 1",
    ),
    *_families(OpenLoopStats, lambda b: b.status.open_loop, _STEP),
    *_families(ColdStart, lambda b: [b.status.cold_start] if b.status.cold_start else [], _STEP),
    *_families(StepTelemetry, lambda b: b.status.telemetry, _STEP),
    BenchmarkFamily(
        "step_bottleneck",
        "Always 1; what held the step back is in the label `resource`, None for nothing.",
        lambda b: [
            ((each.step, each.variant or "", each.resource), 1) for each in b.status.bottlenecks
        ],
        (*_STEP, "resource"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "step_visibility_seconds",
        "Time from the response to an update until replicas of the type found the document.",
        lambda b: [
            ((*_found_by(each), f"{p.percent / 100:g}"), scaled(p.milliseconds, 1000))
            for each in b.status.visibility
            for p in each.percentiles
        ],
        (*_STEP, "type", "quantile"),
        kind="summary",  # what Prometheus wants of a label `quantile`
        unit="s",
    ),
    BenchmarkFamily(
        "step_visibility_documents",
        "Times that replicas of the type found a marked document.",
        lambda b: [(_found_by(each), each.documents) for each in b.status.visibility],
        (*_STEP, "type"),
        unit="documents",
    ),
    BenchmarkFamily(
        "step_visibility_not_found",
        "Times that they did not find one in time.",
        lambda b: [(_found_by(each), each.not_found) for each in b.status.visibility],
        (*_STEP, "type"),
        unit="documents",
    ),
    *TREND_FAMILIES,
    BenchmarkFamily(
        "step_valid",
        "1 if the step is Valid, 0 if it is Invalid, 0.5 if it is Inconclusive.",
        lambda b: [
            (_labels(each), VERDICT_NUMBERS.get(each.verdict)) for each in b.status.verdicts
        ],
        _STEP,
        unit="1, 0.5 or 0",
    ),
    BenchmarkFamily(
        "step_invalid_reason",
        "Always 1; why the step is Invalid is in the label.",
        lambda b: [
            ((*_labels(each), invalid.reason), 1)
            for each in b.status.verdicts
            for invalid in each.reasons
        ],
        (*_STEP, "reason"),
        unit="always 1",
    ),
)
