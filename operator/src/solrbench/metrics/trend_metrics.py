"""Metrics of trends: what grew while a step ran."""

from collections.abc import Callable, Iterator

from solrbench.api.v1alpha1.status.trends import Trend
from solrbench.metrics.metric_family import BenchmarkFamily, Sample, ShownBenchmark

_LABELS = ("step", "variant", "figure")
_HOUR = 3600.0


def _labels(each: Trend) -> tuple[str, ...]:
    return each.step, each.variant or "", each.figure


def _words(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.trends:
        yield (*_labels(each), each.word), 1


def _bytes_per_second(
    read: Callable[[Trend], float],
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for each in benchmark.status.trends:
            if each.unit == "bytes":
                yield _labels(each), read(each) / _HOUR

    return samples


def _full(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.trends:
        if each.full_in_hours is not None:
            yield _labels(each), _HOUR * each.full_in_hours


TREND_FAMILIES = (
    BenchmarkFamily(
        "step_trend",
        "Always 1; what the figure did, such as HeapGrows or Steady, is in the label `word`.",
        _words,
        (*_LABELS, "word"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "step_growth_bytes_per_second",
        "Growth of heap, memory or index beside caches that fill.",
        _bytes_per_second(lambda each: each.growth_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_growth_lower_bytes_per_second",
        "Its lower 95 % confidence bound.",
        _bytes_per_second(lambda each: each.lower_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_growth_upper_bytes_per_second",
        "Its upper 95 % confidence bound.",
        _bytes_per_second(lambda each: each.upper_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_full_seconds",
        "Time until a figure that grows reaches its limit.",
        _full,
        _LABELS,
        unit="s",
    ),
)
