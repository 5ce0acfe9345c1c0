"""The duration of requests as a classic histogram, which adds up over steps and benchmarks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prometheus_client import Metric

from solrbench.api.v1alpha1.status.steps.distribution import BOUNDS_SECONDS, Distribution
from solrbench.metrics.metric_family import BenchmarkFamily, Sample, ShownBenchmark

_SUM = "sum"
"""Stands for a bound in the samples of a family: that of `_sum`."""
_ALL = "+Inf"


@dataclass(frozen=True)
class HistogramFamily(BenchmarkFamily):
    """A metric whose last label is a bound."""

    def metric_of(self, found: Iterable[tuple[str, str, Iterable[Sample]]]) -> Metric:
        """Return the family with `_bucket`, `_count` and `_sum`."""
        metric = Metric(self.full_name, self.text, self.kind)
        for namespace, name, samples in found:
            owner = {"namespace": namespace, self.owner_label: name}
            for values, number in samples:
                if number is None:
                    continue
                labels = owner | dict(zip(self.labels, values, strict=True))
                bound = labels.pop("le")
                if bound != _SUM:
                    metric.add_sample(f"{self.full_name}_bucket", labels | {"le": bound}, number)
                if bound in (_SUM, _ALL):
                    end = "sum" if bound == _SUM else "count"
                    metric.add_sample(f"{self.full_name}_{end}", labels, number)
        return metric


def _samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.distributions:
        labels = each.step, each.variant or ""
        for bound, count in _buckets(each):
            yield (*labels, bound), count
        yield (*labels, _SUM), each.total_seconds


def _buckets(each: Distribution) -> Iterator[tuple[str, int]]:
    yield from zip((f"{bound:g}" for bound in BOUNDS_SECONDS), each.within, strict=False)
    yield _ALL, each.requests


DISTRIBUTION_FAMILY = HistogramFamily(
    "step_request_duration_seconds",
    "Requests of all names by their duration: the response time with a planned rate, else the"
    " service time.",
    _samples,
    ("step", "variant", "le"),
    kind="histogram",
    unit="s",
)
