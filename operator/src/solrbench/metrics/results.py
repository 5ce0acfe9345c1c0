"""Metrics of results: the numbers of each step with their intervals, and the verdicts.

Families of numbers are made from the tables of the status (`Shown`); those of verdicts are here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from solrbench.api.v1alpha1.comparisons import ColdStart, FigureComparison, OpenLoopStats
from solrbench.api.v1alpha1.conditions import (
    PrometheusMetric,
    ResultField,
    Shown,
    StatusModel,
    result_fields,
)
from solrbench.api.v1alpha1.findings import VALID, StepVerdict
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.step_result import Interval, PercentileResult, StepResult
from solrbench.metrics.family import DISTRIBUTION_FAMILY, BenchmarkFamily, Sample, ShownBenchmark
from solrbench.metrics.findings import OBJECTIVE_FAMILIES, TREND_FAMILIES

Results = Callable[[ShownBenchmark], Iterable[StepResult]]
Labels = Callable[[StepResult], tuple[str, ...]]

_QUANTILE = "quantile"

_INTERVALS: Sequence[tuple[str, str, str, str, float]] = (
    (
        "requests_per_second_interval",
        "requests_per_second{}",
        "the rate",
        "requests/s",
        1.0,
    ),
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


def interval_families(
    prefix: str, results: Results, labels: Labels, label_names: tuple[str, ...]
) -> Iterator[BenchmarkFamily]:
    """Return the families of results.

    Args:
        prefix: what their names begin with
        results: finds the results of a benchmark
        labels: values of the labels of a result
        label_names: their names
    """
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
    for name, field, text in (
        ("percentile_seconds", "milliseconds", "Percentiles of `load.percentiles`: {}."),
        ("percentile_lower_seconds", "lower_milliseconds", "Their lower 95 % confidence bound."),
        ("percentile_upper_seconds", "upper_milliseconds", "Their upper 95 % confidence bound."),
    ):
        yield BenchmarkFamily(
            prefix + name,
            text.format("response times with a planned rate, else service times"),
            _percentiles(results, labels, field),
            (*label_names, _QUANTILE),
            kind="summary",  # what Prometheus wants of a label `quantile`
            unit="s",
        )


def _bounds(
    results: Results, labels: Labels, field: str, bound: str, divisor: float
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for result in results(benchmark):
            interval: Interval | None = getattr(result, field)
            if interval is not None:
                yield labels(result), getattr(interval, bound) / divisor

    return samples


def _percentiles(
    results: Results, labels: Labels, field: str
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for result in results(benchmark):
            for percentile in result.percentiles:
                yield (*labels(result), _quantile(percentile)), _seconds(getattr(percentile, field))

    return samples


def _quantile(found: PercentileResult) -> str:
    """Return the percentile as Prometheus writes it: 0.999."""
    return f"{round(found.percent / 100, 9):g}"


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


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


def _samples(
    read: _Read, parts: Sequence[tuple[PrometheusMetric, ResultField]]
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for entry in read(benchmark):
            for metric, field in parts:
                quantile = (metric.quantile,) if metric.quantile else ()
                yield (*_labels(entry), *quantile), _base_units(entry, field.name, field.shown)

    return samples


def _base_units(entry: _Entry, name: str, shown: Shown) -> float | None:
    number: float | None = getattr(entry, name)
    return None if number is None else number / shown.unit.divisor


def _valid(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for verdict in benchmark.status.verdicts:
        yield _labels(verdict), verdict.verdict == VALID


def _invalid_reasons(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for verdict in benchmark.status.verdicts:
        for invalid in verdict.reasons:
            yield (*_labels(verdict), invalid.reason), 1


def _bottlenecks(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for bottleneck in benchmark.status.bottlenecks:
        yield (bottleneck.step, bottleneck.variant or "", bottleneck.resource), 1


def _cold_starts(benchmark: ShownBenchmark) -> list[ColdStart]:
    return [] if benchmark.status.cold_start is None else [benchmark.status.cold_start]


def _results(benchmark: ShownBenchmark) -> list[StepResult]:
    return benchmark.status.results


def _totals(benchmark: ShownBenchmark) -> list[StepResult]:
    return benchmark.status.totals


def _step_labels(entry: StepResult) -> tuple[str, ...]:
    return entry.step, entry.variant or ""


def _total_families() -> Iterator[BenchmarkFamily]:
    """Return what totals have beside results: sums and means need no family of their own."""
    yield BenchmarkFamily(
        "step_all_requests_per_second",
        "Rate of all requests of the step together.",
        lambda b: [(_step_labels(total), total.requests_per_second) for total in _totals(b)],
        _STEP,
        unit="requests/s",
    )
    yield from interval_families("step_all_", _totals, _step_labels, _STEP)


_METRIC_LABELS = ("step", "variant", "request", "figure")


def _figures(benchmark: ShownBenchmark) -> list[FigureComparison]:
    comparison = benchmark.status.comparison
    return [] if comparison is None else comparison.figures


def _metric_labels(each: FigureComparison) -> tuple[str, ...]:
    return each.step or "", each.variant or "", each.request or "", each.figure


def _words(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for comparison in _figures(benchmark):
        if comparison.word is not None:
            yield (*_metric_labels(comparison), comparison.word), 1


def _comparison_families() -> Iterator[BenchmarkFamily]:
    """Return what is shown of the benchmark beside its baseline."""
    yield BenchmarkFamily(
        "comparison_difference_ratio",
        "Difference of a figure from that of the baseline; of shares of failures, their"
        " difference.",
        lambda b: [
            (_metric_labels(comparison), comparison.difference_percent / 100)
            for comparison in _figures(b)
        ],
        _METRIC_LABELS,
        unit="ratio, 0.01 = 1 %",
    )
    yield BenchmarkFamily(
        "comparison_word",
        "Always 1; whether the figure is Better, Worse, Same or Unclear is in the label.",
        _words,
        (*_METRIC_LABELS, "word"),
        unit="always 1",
    )


RESULT_FAMILIES = (
    *OBJECTIVE_FAMILIES,
    *_families(StepResult, _results, _RESULT),
    *interval_families("step_", _results, _labels, _RESULT),
    *_total_families(),
    DISTRIBUTION_FAMILY,
    *_comparison_families(),
    *_families(OpenLoopStats, lambda benchmark: benchmark.status.open_loop, _STEP),
    *_families(ColdStart, _cold_starts, _STEP),
    *_families(StepTelemetry, lambda benchmark: benchmark.status.telemetry, _STEP),
    BenchmarkFamily(
        "step_bottleneck",
        "Always 1; what held the step back is in the label `resource`, None for nothing.",
        _bottlenecks,
        (*_STEP, "resource"),
        unit="always 1",
    ),
    *TREND_FAMILIES,
    BenchmarkFamily(
        "step_valid",
        "1 if the step is Valid, 0 if it is Invalid.",
        _valid,
        _STEP,
        unit="1 or 0",
    ),
    BenchmarkFamily(
        "step_invalid_reason",
        "Always 1; why the step is Invalid is in the label.",
        _invalid_reasons,
        (*_STEP, "reason"),
        unit="always 1",
    ),
)
