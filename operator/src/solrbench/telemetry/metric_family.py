"""One metric of benchmarks, and how it is rendered."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from prometheus_client import Metric

from solrbench.api.v1alpha1 import Status

Sample = tuple[tuple[str, ...], float | None]
"""Values of the labels after namespace and benchmark, and the number if there is one."""


@dataclass(frozen=True)
class ShownBenchmark:
    """What metrics show of a benchmark: all but its spec, which is half of its memory.

    Attributes:
        namespace: of the benchmark
        name: its name
        status: its latest status

    """

    namespace: str
    name: str
    status: Status

    @property
    def phase(self) -> str:
        """Its phase."""
        return self.status.phase

    def read(self, family: "MetricFamily") -> Iterable[Sample]:
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

    def read(self, family: "MetricFamily") -> Iterable[Sample]:
        """Return the samples of a family."""


@dataclass(frozen=True)
class MetricFamily:
    """One metric of benchmarks.

    Attributes:
        name: without the prefix `solrbench_`
        text: what it means
        samples: reads it from a benchmark
        labels: names of the labels after namespace and benchmark
        kind: type in the exposition format
        unit: unit of its numbers, for the documentation

    """

    name: str
    text: str
    samples: Callable[[ShownBenchmark], Iterable[Sample]]
    labels: tuple[str, ...] = ()
    kind: str = "gauge"
    unit: str = ""

    @property
    def full_name(self) -> str:
        """The name that Prometheus stores."""
        return f"solrbench_{self.name}"

    def render(self, benchmarks: Iterable[HasSamples]) -> Metric:
        """Return the family with the samples of `benchmarks`."""
        metric = Metric(self.full_name, self.text, self.kind)
        for benchmark in benchmarks:
            owner = {"namespace": benchmark.namespace, "benchmark": benchmark.name}
            for values, number in benchmark.read(self):
                labels = owner | dict(zip(self.labels, values, strict=True))
                if number is not None:
                    metric.add_sample(self.full_name, labels, number)
        return metric
