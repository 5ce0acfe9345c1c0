"""Prometheus metrics of sweeps, rendered from their latest status at every scrape.

Labels are bounded by the resource: at most 500 points with 8 values each.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from prometheus_client import Metric
from prometheus_client.registry import Collector

from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus
from solrbench.metrics.family import MetricFamily, Sample
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import DesignPoint
from solrbench.sweep.state import MEASURED, is_valid

_MS_PER_SECOND = 1000.0
_PERCENT = 100.0


@dataclass(frozen=True)
class ShownSweep:
    """What metrics show of a sweep.

    Attributes:
        namespace: of the sweep
        name: its name
        status: its latest status
        points: those of its plan by name
    """

    namespace: str
    name: str
    status: SweepStatus
    points: dict[str, DesignPoint]


@dataclass(frozen=True)
class SweepFamily(MetricFamily[ShownSweep]):
    """One metric of sweeps."""

    owner_label: ClassVar[str] = "sweep"

    def render(self, sweeps: Iterable[ShownSweep]) -> Metric:
        """Return the family with the samples of `sweeps`."""
        return self.metric_of(
            (sweep.namespace, sweep.name, self.samples(sweep)) for sweep in sweeps
        )


def _states(sweep: ShownSweep) -> Iterator[Sample]:
    counts = sweep.status.counts
    planned = counts.total - counts.running - counts.succeeded - counts.failed
    valid = counts.succeeded - counts.invalid
    numbers = (
        ("Planned", planned),
        ("Running", counts.running),
        ("Valid", valid),
        ("Invalid", counts.invalid),
        ("Failed", counts.failed),
    )
    for state, number in numbers:
        yield (state,), number


def _values(sweep: ShownSweep) -> Iterator[Sample]:
    for point in sweep.points.values():
        for value in point.values:
            yield (point.name, value.axis, value.label), 1


def _figure(
    read: Callable[[SweepPoint], float | None], factor: float = 1.0
) -> Callable[[ShownSweep], Iterator[Sample]]:
    def samples(sweep: ShownSweep) -> Iterator[Sample]:
        for sweep_point in sweep.status.points:
            number, point = read(sweep_point), sweep.points.get(sweep_point.name)
            if number is not None and point is not None:
                yield (sweep_point.name, point.text), number / factor

    return samples


def _p95(sweep: ShownSweep) -> Iterator[Sample]:
    read = _figure(lambda point: point.p95_milliseconds, _MS_PER_SECOND)
    for labels, number in read(sweep):
        yield (*labels, "0.95"), number


def _validity(point: SweepPoint) -> float | None:
    return float(is_valid(point)) if is_valid(point) or point.state in MEASURED else None


_POINT = ("point", "values")

SWEEP_FAMILIES = (
    SweepFamily(
        "sweep_info",
        "Always 1; the phase is in the label.",
        lambda sweep: [((sweep.status.phase,), 1)],
        ("phase",),
        unit="always 1",
    ),
    SweepFamily("sweep_points", "Points by state.", _states, ("state",), unit="points"),
    SweepFamily(
        "sweep_remaining_seconds",
        "Estimated time of the points that are left, one after another.",
        lambda sweep: [((), sweep.status.estimate.remaining_seconds)],
        unit="s",
    ),
    SweepFamily(
        "sweep_point_value_info",
        "Always 1; the value of each axis is in the labels.",
        _values,
        ("point", "axis", "value"),
        unit="always 1",
    ),
    SweepFamily(
        "sweep_point_requests_per_second",
        "Rate of the last step of a point.",
        _figure(lambda point: point.requests_per_second),
        _POINT,
        unit="requests/s",
    ),
    SweepFamily(
        "sweep_point_duration_seconds",
        "Quantiles of the last step of a point: of the service time, with a planned rate of the"
        " response time.",
        _p95,
        (*_POINT, "quantile"),
        kind="summary",  # what Prometheus wants of a label `quantile`
        unit="s",
    ),
    SweepFamily(
        "sweep_point_failed_ratio",
        "Share of failed requests of the last step of a point.",
        _figure(lambda point: point.failed_percent, _PERCENT),
        _POINT,
        unit="ratio",
    ),
    SweepFamily(
        "sweep_point_cpu_seconds_per_request",
        "CPU time of all Solr processes for each query, of the last step of a point.",
        _figure(lambda point: point.cpu_milliseconds_per_request, _MS_PER_SECOND),
        _POINT,
        unit="s",
    ),
    SweepFamily(
        "sweep_point_read_bytes_per_request",
        "Bytes that all pods of Solr read from disk for each query.",
        _figure(lambda point: point.read_bytes_per_request),
        _POINT,
        unit="bytes",
    ),
    SweepFamily(
        "sweep_point_reads_per_request",
        "Reads of the disk by all pods of Solr for each query.",
        _figure(lambda point: point.reads_per_request),
        _POINT,
        unit="reads",
    ),
    SweepFamily(
        "sweep_point_index_bytes",
        "Size of the index over all replicas, in the last step of a point.",
        _figure(lambda point: point.index_bytes),
        _POINT,
        unit="bytes",
    ),
    SweepFamily(
        "sweep_point_valid",
        "1 if all steps of a point are Valid, 0 if one is not.",
        _figure(_validity),
        _POINT,
        unit="0 or 1",
    ),
)


class SweepStore:
    """The latest status of every sweep; safe for threads.

    Args:
        result_seconds: how long the points of a finished sweep are shown
        clock: Unix time in seconds
    """

    def __init__(self, result_seconds: float, clock: Callable[[], float] = time.time) -> None:
        self._result_seconds = result_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._sweeps: dict[str, ShownSweep] = {}

    def update(self, sweep: SolrBenchmarkSweep, plan: SweepPlan) -> None:
        """Show `sweep` from the next scrape on."""
        points = {point.point.name: point.point for point in plan.points}
        metadata = sweep.metadata
        shown = ShownSweep(metadata.namespace, metadata.name, sweep.status, points)
        with self._lock:
            self._sweeps[sweep.key] = shown

    def forget(self, key: str) -> None:
        """Show nothing more of the sweep `namespace/name`; unknown ones are fine."""
        with self._lock:
            self._sweeps.pop(key, None)

    def all(self) -> list[ShownSweep]:
        """Return every sweep, by key."""
        with self._lock:
            return [self._current(self._sweeps[key]) for key in sorted(self._sweeps)]

    def _current(self, sweep: ShownSweep) -> ShownSweep:
        """Return a sweep; one that ended long ago without its points."""
        ended = sweep.status.completion_time
        if ended is None or ended.timestamp() > self._clock() - self._result_seconds:
            return sweep
        status = sweep.status.model_copy(update={"points": []})
        return ShownSweep(sweep.namespace, sweep.name, status, {})


class SweepCollector(Collector):
    """Renders the store."""

    def __init__(self, store: SweepStore) -> None:
        self._store = store

    def describe(self) -> Iterator[Metric]:
        """Return every family without samples, so that the registry notices a clash of names."""
        for family in SWEEP_FAMILIES:
            yield family.render([])

    def collect(self) -> Iterator[Metric]:
        """Return every family with the samples of this moment."""
        sweeps = self._store.all()
        for family in SWEEP_FAMILIES:
            yield family.render(sweeps)
