"""Metrics of resources: families, and the store of what is rendered at every scrape.

The duration of requests is a classic histogram, which adds up over steps and benchmarks.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, Self, TypeVar

from prometheus_client import Metric
from prometheus_client.registry import Collector

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.step_result import BOUNDS_SECONDS

Sample = tuple[tuple[str, ...], float | None]
"""Values of the labels after those of the resource, and the number if there is one."""

RESULT_SECONDS = 3600.0
"""How long the results of a finished resource are shown, unless the settings say otherwise."""


@dataclass(frozen=True)
class ShownResource:
    """What metrics show of a resource: where it is, and when it was over."""

    namespace: str
    name: str
    end: datetime | None

    kind_label: ClassVar[str] = "benchmark"
    """Label with the name of the resource."""

    def read(self, family: "MetricFamily[Any]") -> Iterable[Sample]:
        """Return the samples of a family."""
        return family.samples(self)

    def without_results(self) -> Self:
        """Return what is still shown when the results have been shown long enough."""
        return self


Shown = TypeVar("Shown", bound=ShownResource)


@dataclass(frozen=True)
class ShownBenchmark(ShownResource):
    """What metrics show of a benchmark: all but its spec, which is half of its memory."""

    phase: str
    status: Status
    created: datetime | None


@dataclass(frozen=True)
class MetricFamily(Generic[Shown]):
    """One metric of resources of one kind; `samples` reads it from a resource.

    `labels` are the names of the labels after those of the resource, and `unit` is for the
    documentation.
    """

    name: str
    text: str
    samples: Callable[[Shown], Iterable[Sample]]
    labels: tuple[str, ...] = ()
    unit: str = ""

    @property
    def full_name(self) -> str:
        """The name that Prometheus stores."""
        return f"solrbench_{self.name}"

    @property
    def kind(self) -> str:
        """The type in the exposition format, which keeps two labels for those that need them."""
        if "le" in self.labels:
            return "histogram"
        return "summary" if "quantile" in self.labels else "gauge"

    def render(self, resources: Iterable[ShownResource]) -> Metric:
        """Return the family with the samples of `resources`."""
        metric = Metric(self.full_name, self.text, self.kind)
        for resource in resources:
            owner = {"namespace": resource.namespace, resource.kind_label: resource.name}
            for values, number in resource.read(self):
                # Prometheus has no sample for "not measured"; 0 or NaN would count in averages.
                if number is None:
                    continue
                labels = owner | dict(zip(self.labels, values, strict=True))
                if metric.type == "histogram":
                    _add_bucket(metric, labels, number)
                else:
                    metric.add_sample(self.full_name, labels, number)
        return metric


BenchmarkFamily = MetricFamily[ShownBenchmark]

_SUM = "sum"
"""Stands for a bound in the samples of a histogram: that of `_sum`."""
_ALL = "+Inf"


def _add_bucket(metric: Metric, labels: dict[str, str], number: float) -> None:
    bound = labels.pop("le")
    if bound == _SUM:
        metric.add_sample(f"{metric.name}_sum", labels, number)
        return
    metric.add_sample(f"{metric.name}_bucket", labels | {"le": bound}, number)
    # The format wants the last bucket twice: its count is that of all observations.
    if bound == _ALL:
        metric.add_sample(f"{metric.name}_count", labels, number)


def _durations(benchmark: ShownBenchmark) -> Iterator[Sample]:
    bounds = [f"{bound:g}" for bound in BOUNDS_SECONDS]
    for distribution in benchmark.status.distributions:
        labels = distribution.step, distribution.variant or ""
        # The schema allows `within` to be shorter than the bounds, not longer.
        for bound, count in zip(bounds, distribution.within, strict=False):
            yield (*labels, bound), count
        yield (*labels, _ALL), distribution.requests
        yield (*labels, _SUM), distribution.total_seconds


DISTRIBUTION_FAMILY = BenchmarkFamily(
    "step_request_duration_seconds",
    "Requests of all names by their duration: the response time with a planned rate, else the"
    " service time.",
    _durations,
    ("step", "variant", "le"),
    unit="s",
)


class ResourceStore(Collector, Generic[Shown]):
    """The latest status of every resource of one kind; safe for the handlers' and server's threads.

    The results of a resource are dropped `result_seconds` after its end: it can have thousands of
    them, and Prometheus keeps what it has scraped. `clock` returns the Unix time.
    """

    families: ClassVar[tuple[MetricFamily[Any], ...]]

    def __init__(
        self, result_seconds: float = RESULT_SECONDS, clock: Callable[[], float] = time.time
    ) -> None:
        self._result_seconds = result_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._shown: dict[str, Shown] = {}

    def _keep(self, key: str, shown: Shown) -> None:
        with self._lock:
            self._shown[key] = shown
            # Without a scrape nothing else would free the memory of results.
            self._drop_results()

    def _drop_results(self) -> None:
        ended_before = self._clock() - self._result_seconds
        for key, shown in self._shown.items():
            if shown.end is not None and shown.end.timestamp() <= ended_before:
                self._shown[key] = shown.without_results()

    def forget(self, key: str) -> None:
        """Show nothing more of the resource `namespace/name`; unknown ones are fine."""
        with self._lock:
            self._shown.pop(key, None)

    def all(self) -> list[Shown]:
        """Return every resource, by key."""
        with self._lock:
            self._drop_results()
            return [self._shown[key] for key in sorted(self._shown)]

    def render(self, shown: list[Shown]) -> Iterator[Metric]:
        """Yield every family with the samples of these resources."""
        for family in self.families:
            yield family.render(shown)

    def describe(self) -> Iterator[Metric]:
        """Return every family without samples, so that the registry notices a clash of names."""
        return self.render([])

    def collect(self) -> Iterator[Metric]:
        """Return every family with the samples of this moment."""
        return self.render(self.all())
