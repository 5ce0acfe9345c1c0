"""Metrics of results: the numbers of each step with their intervals, and the verdicts.

Families of numbers are made from the tables of the status (`Shown`); those of verdicts are here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from solrbench.api.v1alpha1.comparisons import FigureComparison
from solrbench.api.v1alpha1.conditions import (
    PrometheusMetric,
    ResultField,
    StatusModel,
    result_fields,
)
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.step_details import ColdStart, OpenLoopStats
from solrbench.api.v1alpha1.step_result import Interval, StepResult
from solrbench.metrics.family import DISTRIBUTION_FAMILY, BenchmarkFamily, Sample, ShownBenchmark
from solrbench.metrics.findings import OBJECTIVE_FAMILIES, TREND_FAMILIES, VERDICT_NUMBERS
from solrbench.stats.number_format import scaled

Labels = tuple[str, ...]
"""Names of labels; their values are in the fields of the same names."""
Results = Callable[[ShownBenchmark], Iterable[StepResult]]
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


def _interval_families(prefix: str, results: Results, labels: Labels) -> Iterator[BenchmarkFamily]:
    for field, name, what, unit, divisor in _INTERVALS:
        for bound in Interval.model_fields:
            yield BenchmarkFamily(
                prefix + name.format(f"_{bound}"),
                f"The {bound} bound of the 95 % confidence interval of {what}; absent if the step"
                " was too short for one.",
                _bounds(results, labels, field, bound, divisor),
                labels,
                unit=unit,
            )
    for name, field, text in _PERCENTILES:
        yield BenchmarkFamily(
            prefix + name,
            text,
            _percentiles(results, labels, field),
            (*labels, "quantile"),
            unit="s",
        )


def _bounds(results: Results, labels: Labels, field: str, bound: str, divisor: float) -> Samples:
    return lambda benchmark: (
        (_values(result, labels), getattr(interval, bound) / divisor)
        for result in results(benchmark)
        if (interval := getattr(result, field)) is not None
    )


def _percentiles(results: Results, labels: Labels, field: str) -> Samples:
    # 99.9 / 100 is 0.9990000000000001, which would be another label.
    return lambda benchmark: (
        ((*_values(result, labels), f"{each.percent / 100:g}"), scaled(getattr(each, field), 1000))
        for result in results(benchmark)
        for each in result.percentiles
    )


def _values(entry: StatusModel, labels: Labels) -> tuple[str, ...]:
    # An empty `variant` is no label at all to Prometheus.
    return tuple(getattr(entry, label) or "" for label in labels)


Entries = Callable[[ShownBenchmark], Iterable[StatusModel]]

_STEP = ("step", "variant")
_RESULT = ("step", "request", "variant")
_FIGURE = ("step", "variant", "request", "figure")


def table_families(
    prefix: str, model: type[StatusModel], entries: Entries, labels: Labels
) -> Iterator[BenchmarkFamily]:
    """Return the families of the fields of `model`, of which a benchmark has `entries`."""
    # Several fields may be one metric: each percentile is a sample with its own quantile.
    by_name: dict[str, list[tuple[PrometheusMetric, ResultField]]] = {}
    for field in result_fields(model):
        if metric := field.shown.metric:
            by_name.setdefault(metric.name, []).append((metric, field))
    for name, parts in by_name.items():
        (metric, field), *_ = parts
        yield BenchmarkFamily(
            prefix + name,
            metric.text or field.text,
            _samples(entries, labels, parts),
            (*labels, "quantile") if metric.quantile else labels,
            unit=field.shown.unit.metric_unit,
        )


def _samples(
    entries: Entries, labels: Labels, parts: Sequence[tuple[PrometheusMetric, ResultField]]
) -> Samples:
    return lambda benchmark: (
        (
            (*_values(entry, labels), *([metric.quantile] if metric.quantile else [])),
            scaled(getattr(entry, field.name), field.shown.unit.divisor),
        )
        for entry in entries(benchmark)
        for metric, field in parts
    )


def _totals(benchmark: ShownBenchmark, field: str) -> list[Sample]:
    return [(_values(each, _STEP), getattr(each, field)) for each in benchmark.status.totals]


def _compared(benchmark: ShownBenchmark) -> list[FigureComparison]:
    comparison = benchmark.status.comparison
    return [] if comparison is None else comparison.figures


_REPLICAS = (*_STEP, "replica_type")
"""The last one has a shorter name as a label: `type`."""

RESULT_FAMILIES = (
    *OBJECTIVE_FAMILIES,
    *table_families("", StepResult, lambda b: b.status.results, _RESULT),
    *_interval_families("step_", lambda b: b.status.results, _RESULT),
    # Of totals only these. Sums of the results would have whole transactions in them, too.
    *(
        BenchmarkFamily(f"step_all_{field}", text, partial(_totals, field=field), _STEP, unit=unit)
        for field, text, unit in (
            ("requests", "Requests of the step together, without whole transactions.", "requests"),
            ("failures", "Those of them that failed.", "requests"),
            ("requests_per_second", "Rate of all requests of the step together.", "requests/s"),
        )
    ),
    *_interval_families("step_all_", lambda b: b.status.totals, _STEP),
    DISTRIBUTION_FAMILY,
    BenchmarkFamily(
        "comparison_difference_ratio",
        "Difference of a figure from that of the baseline; of shares of failures, their"
        " difference.",
        lambda b: [(_values(e, _FIGURE), e.difference_percent / 100) for e in _compared(b)],
        _FIGURE,
        unit="ratio, 0.01 = 1 %",
    ),
    BenchmarkFamily(
        "comparison_conclusion",
        "Always 1; whether the figure is Better, Worse, Same or Inconclusive is in the label"
        " `conclusion`. Where `on_target` is true, that is about one target.",
        lambda b: [
            ((*_values(each, _FIGURE), each.conclusion, str(each.on_target).lower()), 1)
            for each in _compared(b)
            if each.conclusion
        ],
        (*_FIGURE, "conclusion", "on_target"),
        unit="always 1",
    ),
    *table_families("", OpenLoopStats, lambda b: b.status.open_loop, _STEP),
    *table_families("", ColdStart, lambda b: filter(None, [b.status.cold_start]), _STEP),
    *table_families("step_", StepTelemetry, lambda b: b.status.telemetry, _STEP),
    BenchmarkFamily(
        "step_bottleneck",
        "Always 1; what held the step back is in the label `resource`, None for nothing.",
        lambda b: [(_values(each, (*_STEP, "resource")), 1) for each in b.status.bottlenecks],
        (*_STEP, "resource"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "step_visibility_seconds",
        "Time from the response to an update until replicas of the type found the document.",
        lambda b: [
            ((*_values(each, _REPLICAS), f"{p.percent / 100:g}"), scaled(p.milliseconds, 1000))
            for each in b.status.visibility
            for p in each.percentiles
        ],
        (*_STEP, "type", "quantile"),
        unit="s",
    ),
    BenchmarkFamily(
        "step_visibility_documents",
        "Times that replicas of the type found a marked document.",
        lambda b: [(_values(each, _REPLICAS), each.documents) for each in b.status.visibility],
        (*_STEP, "type"),
        unit="documents",
    ),
    BenchmarkFamily(
        "step_visibility_not_found",
        "Times that they did not find one in time.",
        lambda b: [(_values(each, _REPLICAS), each.not_found) for each in b.status.visibility],
        (*_STEP, "type"),
        unit="documents",
    ),
    *TREND_FAMILIES,
    BenchmarkFamily(
        "step_valid",
        "1 if the step is Valid, 0 if it is Invalid, 0.5 if it is Inconclusive.",
        lambda b: [(_values(e, _STEP), VERDICT_NUMBERS.get(e.verdict)) for e in b.status.verdicts],
        _STEP,
        unit="1, 0.5 or 0",
    ),
    BenchmarkFamily(
        "step_invalid_reason",
        "Always 1; why the step is Invalid is in the label.",
        lambda b: [
            ((*_values(each, _STEP), invalid.reason), 1)
            for each in b.status.verdicts
            for invalid in each.reasons
        ],
        (*_STEP, "reason"),
        unit="always 1",
    ),
)
