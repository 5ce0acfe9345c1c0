"""One metric of benchmarks or sweeps, and how it is rendered.

The duration of requests is a classic histogram, which adds up over steps and benchmarks.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Generic, Protocol, TypeVar

from prometheus_client import Metric

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.step_result import BOUNDS_SECONDS, Distribution

Sample = tuple[tuple[str, ...], float | None]
"""Values of the labels after those of the resource, and the number if there is one."""

Shown = TypeVar("Shown")
"""What metrics show of a resource."""


@dataclass(frozen=True)
class ShownBenchmark:
    """What metrics show of a benchmark: all but its spec, which is half of its memory.

    Attributes:
        namespace: of the benchmark
        name: its name
        status: its latest status
        created: when it was created, if that is known
    """

    namespace: str
    name: str
    status: Status
    created: datetime | None = None

    @property
    def phase(self) -> str:
        """Its phase."""
        return self.status.phase

    def read(self, family: "BenchmarkFamily") -> Iterable[Sample]:
        """Return the samples of a family."""
        return family.samples(self)


class HasSamples(Protocol):
    """A benchmark that runs or is over."""

    @property
    def namespace(self) -> str:
        """Namespace of the benchmark."""

    @property
    def name(self) -> str:
        """Name of the benchmark."""

    @property
    def phase(self) -> str:
        """Its phase."""

    def read(self, family: "BenchmarkFamily") -> Iterable[Sample]:
        """Return the samples of a family."""


@dataclass(frozen=True)
class MetricFamily(Generic[Shown]):
    """One metric of resources of one kind.

    Attributes:
        name: without the prefix `solrbench_`
        text: what it means
        samples: reads it from a resource
        labels: names of the labels after those of the resource
        kind: type in the exposition format
        unit: unit of its numbers, for the documentation
    """

    name: str
    text: str
    samples: Callable[[Shown], Iterable[Sample]]
    labels: tuple[str, ...] = ()
    kind: str = "gauge"
    unit: str = ""

    owner_label: ClassVar[str]
    """Label with the name of the resource."""

    @property
    def full_name(self) -> str:
        """The name that Prometheus stores."""
        return f"solrbench_{self.name}"

    def metric_of(self, found: Iterable[tuple[str, str, Iterable[Sample]]]) -> Metric:
        """Return the family with the samples of resources, each with its namespace and name."""
        metric = Metric(self.full_name, self.text, self.kind)
        for namespace, name, samples in found:
            owner = {"namespace": namespace, self.owner_label: name}
            for values, number in samples:
                if number is not None:
                    labels = owner | dict(zip(self.labels, values, strict=True))
                    metric.add_sample(self.full_name, labels, number)
        return metric


@dataclass(frozen=True)
class BenchmarkFamily(MetricFamily[ShownBenchmark]):
    """One metric of benchmarks."""

    owner_label: ClassVar[str] = "benchmark"

    def render(self, benchmarks: Iterable[HasSamples]) -> Metric:
        """Return the family with the samples of `benchmarks`."""
        return self.metric_of(
            (benchmark.namespace, benchmark.name, benchmark.read(self)) for benchmark in benchmarks
        )


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
    for distribution in benchmark.status.distributions:
        labels = distribution.step, distribution.variant or ""
        for bound, count in _buckets(distribution):
            yield (*labels, bound), count
        yield (*labels, _SUM), distribution.total_seconds


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
