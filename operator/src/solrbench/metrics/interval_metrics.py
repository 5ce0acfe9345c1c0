"""Metrics of intervals: two bounds beside a number, and the percentiles that were chosen."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from solrbench.api.v1alpha1.status.steps.intervals import Interval, PercentileResult
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.metrics.metric_family import BenchmarkFamily, Sample, ShownBenchmark

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
        for each in results(benchmark):
            interval: Interval | None = getattr(each, field)
            if interval is not None:
                yield labels(each), getattr(interval, bound) / divisor

    return samples


def _percentiles(
    results: Results, labels: Labels, field: str
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for each in results(benchmark):
            for found in each.percentiles:
                yield (*labels(each), _quantile(found)), _seconds(getattr(found, field))

    return samples


def _quantile(found: PercentileResult) -> str:
    """Return the percentile as Prometheus writes it: 0.999."""
    return f"{round(found.percent / 100, 9):g}"


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
