"""Prometheus metrics of benchmarks, rendered from their latest status at every scrape.

Base units by Prometheus' naming rules (https://prometheus.io/docs/practices/naming/): seconds,
bytes, ratios. A number that was not measured gives no sample. Labels are bounded by the resource:
at most 32 steps and 1600 results for each benchmark. Of a benchmark that is over only what its
samples need is kept, a tenth of the memory of its status.
"""

import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from prometheus_client import Metric
from prometheus_client.registry import Collector

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import IndexPodsStatus
from solrbench.metrics.family import BenchmarkFamily, HasSamples, Sample, ShownBenchmark
from solrbench.metrics.results import RESULT_FAMILIES


def _live(field: str) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        load = benchmark.status.live_load
        if load is not None:
            yield (load.step or "", load.variant or ""), getattr(load, field)

    return samples


def _live_times(benchmark: ShownBenchmark) -> Iterator[Sample]:
    load = benchmark.status.live_load
    if load is not None:
        for percent in (50, 95, 99):
            milliseconds = getattr(load, f"p{percent}_milliseconds")
            labels = (load.step or "", load.variant or "", f"{percent / 100}")
            yield labels, None if milliseconds is None else milliseconds / 1000


def _live_failed(benchmark: ShownBenchmark) -> Iterator[Sample]:
    load = benchmark.status.live_load
    if load is not None and load.recent_failed_percent is not None:
        yield (load.step or "", load.variant or ""), load.recent_failed_percent / 100


_LIVE = ("step", "variant")

LIVE_FAMILIES = (
    BenchmarkFamily(
        "live_users",
        "Users running; absent with a planned rate.",
        _live("users"),
        _LIVE,
        unit="users",
    ),
    BenchmarkFamily(
        "live_requests_per_second",
        "Rate of requests over the last seconds.",
        _live("requests_per_second"),
        _LIVE,
        unit="requests/s",
    ),
    BenchmarkFamily(
        "live_planned_requests_per_second",
        "Scheduled rate of the current step; absent with users.",
        _live("planned_requests_per_second"),
        _LIVE,
        unit="requests/s",
    ),
    BenchmarkFamily(
        "live_step_requests",
        "Requests of the current step so far.",
        _live("requests"),
        _LIVE,
        unit="requests",
    ),
    BenchmarkFamily(
        "live_latency_seconds",
        "Percentiles of the last ten seconds over all workers: of the service time, with a planned"
        " rate of the response time.",
        _live_times,
        (*_LIVE, "quantile"),
        kind="summary",
        unit="s",
    ),
    BenchmarkFamily(
        "live_recent_failures",
        "Requests that failed in the last ten seconds.",
        _live("recent_failures"),
        _LIVE,
        unit="requests",
    ),
    BenchmarkFamily(
        "live_failed_ratio",
        "Share of the requests of the last ten seconds that failed.",
        _live_failed,
        _LIVE,
        unit="ratio",
    ),
)


class Series(NamedTuple):
    """The samples of one family.

    Attributes:
        labels: their labels
        numbers: as many numbers
    """

    labels: tuple[tuple[str, ...], ...]
    numbers: "array[float]"


@dataclass(frozen=True)
class FinishedBenchmark:
    """A benchmark whose numbers do not change any more.

    Attributes:
        namespace: of the benchmark
        name: its name
        phase: its last phase
        end: when it was over
        series: the samples of each family that has any, by the family's name
    """

    namespace: str
    name: str
    phase: str
    end: datetime
    series: Mapping[str, Series]

    def read(self, family: BenchmarkFamily) -> Iterator[Sample]:
        """Return the samples of a family."""
        stored = self.series.get(family.name)
        return iter(()) if stored is None else zip(stored.labels, stored.numbers, strict=True)

    def without(self, families: AbstractSet[str]) -> "FinishedBenchmark":
        """Return the same without the samples of the families with these names."""
        if families.isdisjoint(self.series):
            return self
        kept = {name: series for name, series in self.series.items() if name not in families}
        return replace(self, series=kept)


def freeze(
    benchmark: ShownBenchmark, end: datetime, families: Iterable[BenchmarkFamily]
) -> FinishedBenchmark:
    """Return what the families show of a benchmark that is over since `end`."""
    series = {}
    for family in families:
        samples = [sample for sample in family.samples(benchmark) if sample[1] is not None]
        if samples:
            labels = tuple(labels for labels, _ in samples)
            numbers = array("d", (number for _, number in samples if number is not None))
            series[family.name] = Series(_share(labels), numbers)
    return FinishedBenchmark(benchmark.namespace, benchmark.name, benchmark.phase, end, series)


@lru_cache(maxsize=1024)
def _share(labels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return the labels once for all families and benchmarks that have the same."""
    return labels


RESULT_SECONDS = 3600.0
"""How long the results of a finished benchmark are shown, unless the settings say otherwise."""


def _one(
    read: Callable[[ShownBenchmark], float | None],
) -> Callable[[ShownBenchmark], list[Sample]]:
    return lambda benchmark: [((), read(benchmark))]


def _index_pods(benchmark: ShownBenchmark) -> IndexPodsStatus:
    return benchmark.status.dataset.pods or IndexPodsStatus()


def _ratio(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _conditions(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for condition in benchmark.status.conditions:
        yield (condition.type, condition.status), 1


def _attempts(benchmark: ShownBenchmark) -> Iterator[Sample]:
    yield ("target",), benchmark.status.attempts.starts_of_target
    yield ("load",), benchmark.status.attempts.starts_of_load


def _moment(
    read: Callable[[ShownBenchmark], datetime | None],
) -> Callable[[ShownBenchmark], list[Sample]]:
    """Return the samples of a Unix time."""

    def samples(benchmark: ShownBenchmark) -> list[Sample]:
        moment = read(benchmark)
        return [((), None if moment is None else moment.timestamp())]

    return samples


def _queue_position(benchmark: ShownBenchmark) -> float | None:
    queue = benchmark.status.queue
    return None if queue is None else queue.position


BENCHMARK_FAMILIES = (
    BenchmarkFamily(
        "benchmark_info",
        "Always 1; the phase is in the label.",
        lambda b: [((b.status.phase,), 1)],
        ("phase",),
        unit="always 1",
    ),
    BenchmarkFamily(
        "benchmark_condition",
        "Always 1; the status of each condition is in the label.",
        _conditions,
        ("type", "status"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "benchmark_phase_start_timestamp_seconds",
        "Unix time at which the current phase began.",
        _moment(lambda b: b.status.phase_start_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_created_timestamp_seconds",
        "Unix time at which the benchmark was created.",
        _moment(lambda b: b.created),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_start_timestamp_seconds",
        "Unix time at which the benchmark left the queue; absent before.",
        _moment(lambda b: b.status.start_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_end_timestamp_seconds",
        "Unix time at which the benchmark succeeded or failed; absent before.",
        _moment(lambda b: b.status.completion_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_queue_position",
        "Place in the queue, 1 for the next; absent unless the benchmark waits for others.",
        _one(_queue_position),
        unit="place",
    ),
    BenchmarkFamily(
        "benchmark_attempts",
        "Times that target and load were started, without the starts of repeats on fresh targets"
        " or data; more than 1 means that pods were lost.",
        _attempts,
        ("part",),
        unit="starts",
    ),
    BenchmarkFamily(
        "benchmark_steps_stored",
        "Steps measured and stored, over all repeats.",
        _one(lambda b: b.status.report.stored_steps),
        unit="steps",
    ),
    BenchmarkFamily(
        "benchmark_steps_expected",
        "Steps of all repeats.",
        _one(lambda b: b.status.report.total_steps or None),
        unit="steps",
    ),
    BenchmarkFamily(
        "benchmark_documents",
        "Documents that Solr has accepted; after indexing, those counted on every shard.",
        _one(lambda b: b.status.dataset.documents),
        unit="documents",
    ),
    BenchmarkFamily(
        "benchmark_documents_expected",
        "Documents to be indexed, where that is known beforehand.",
        _one(lambda b: b.status.dataset.documents_total),
        unit="documents",
    ),
    BenchmarkFamily(
        "benchmark_index_bytes",
        "Size of the index over all replicas.",
        _one(lambda b: b.status.dataset.index_bytes),
        unit="bytes",
    ),
    BenchmarkFamily(
        "benchmark_indexing_seconds",
        "Time from the first batch to the last, over all pods.",
        _one(lambda b: b.status.dataset.seconds),
        unit="s",
    ),
    BenchmarkFamily(
        "benchmark_indexing_documents_per_second",
        "Documents divided by the seconds of indexing.",
        _one(lambda b: b.status.dataset.documents_per_second),
        unit="documents/s",
    ),
    BenchmarkFamily(
        "benchmark_indexing_bytes_per_second",
        "Bytes of update requests divided by the seconds of indexing.",
        _one(lambda b: b.status.dataset.bytes_per_second),
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "benchmark_indexing_pod_cpu_cores",
        "CPU time of all index pods, per second.",
        _one(lambda b: _index_pods(b).cpu_cores),
        unit="cores",
    ),
    BenchmarkFamily(
        "benchmark_indexing_pod_throttled_ratio",
        "Share of the periods in which the CPU limit stopped the worst index pod.",
        _one(lambda b: _ratio(_index_pods(b).throttled_percent)),
        unit="ratio",
    ),
)

FAMILIES = (*BENCHMARK_FAMILIES, *LIVE_FAMILIES, *RESULT_FAMILIES)
_RESULT_NAMES = frozenset(family.name for family in RESULT_FAMILIES)


class BenchmarkStore:
    """The latest status of every benchmark; safe for the handlers' and the server's threads.

    A finished benchmark can have thousands of results, and Prometheus keeps what it has scraped.

    Args:
        result_seconds: how long after its end the results of a benchmark are kept
        clock: returns the Unix time in seconds
    """

    def __init__(
        self,
        result_seconds: float = RESULT_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._result_seconds = result_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._benchmarks: dict[str, ShownBenchmark | FinishedBenchmark] = {}

    def update(self, benchmark: SolrBenchmark) -> None:
        """Show `benchmark` from the next scrape on."""
        metadata = benchmark.metadata
        shown = ShownBenchmark(
            metadata.namespace, metadata.name, benchmark.status, metadata.creation_timestamp
        )
        end = benchmark.status.completion_time
        with self._lock:
            self._benchmarks[benchmark.key] = shown if end is None else freeze(shown, end, FAMILIES)
            self._drop_results()

    def forget(self, key: str) -> None:
        """Show nothing more of the benchmark `namespace/name`; unknown ones are fine."""
        with self._lock:
            self._benchmarks.pop(key, None)

    def _drop_results(self) -> None:
        ended_before = self._clock() - self._result_seconds
        for key, benchmark in self._benchmarks.items():
            if (
                isinstance(benchmark, FinishedBenchmark)
                and benchmark.end.timestamp() <= ended_before
            ):
                self._benchmarks[key] = benchmark.without(_RESULT_NAMES)

    def all(self) -> list[ShownBenchmark | FinishedBenchmark]:
        """Return every benchmark, by key."""
        with self._lock:
            self._drop_results()
            return [self._benchmarks[key] for key in sorted(self._benchmarks)]


class BenchmarkCollector(Collector):
    """Renders the store."""

    def __init__(self, store: BenchmarkStore) -> None:
        self._store = store

    def describe(self) -> Iterator[Metric]:
        """Return every family without samples, so that the registry notices a clash of names."""
        yield _count_phases([])
        for family in FAMILIES:
            yield family.render([])

    def collect(self) -> Iterator[Metric]:
        """Return every family with the samples of this moment."""
        benchmarks = self._store.all()
        yield _count_phases(benchmarks)
        for family in (*BENCHMARK_FAMILIES, *LIVE_FAMILIES):
            yield family.render(benchmarks)
        for family in RESULT_FAMILIES:
            yield family.render(benchmarks)


def _count_phases(benchmarks: Iterable[HasSamples]) -> Metric:
    name = "solrbench_benchmarks"
    metric = Metric(name, "Benchmarks by phase.", "gauge")
    for phase, number in sorted(Counter(benchmark.phase for benchmark in benchmarks).items()):
        metric.add_sample(name, {"phase": phase}, number)
    return metric
