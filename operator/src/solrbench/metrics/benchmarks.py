"""Prometheus metrics of benchmarks, rendered from their latest status at every scrape.

Base units by Prometheus' naming rules (https://prometheus.io/docs/practices/naming/): seconds,
bytes, ratios. A number that was not measured gives no sample. Labels are bounded by the resource:
at most 32 steps and 256 results for each benchmark. Of a benchmark that is over only what its
samples need is kept, a tenth of the memory of its status.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Self

from prometheus_client import Metric

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.server_metrics import IndexingTelemetry
from solrbench.api.v1alpha1.status import IndexPodsStatus
from solrbench.metrics.family import (
    BenchmarkFamily,
    MetricFamily,
    ResourceStore,
    Sample,
    ShownBenchmark,
    ShownResource,
)
from solrbench.metrics.results import RESULT_FAMILIES, table_families
from solrbench.stats.number_format import scaled


def _live(
    field: str, divisor: float = 1.0, *quantile: str
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        load = benchmark.status.live_load
        if load is not None:
            labels = (load.step or "", load.variant or "", *quantile)
            yield labels, scaled(getattr(load, field), divisor)

    return samples


def _live_times(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for percent in (50, 95, 99):
        yield from _live(f"p{percent}_milliseconds", 1000, f"{percent / 100}")(benchmark)


_LIVE = ("step", "variant")


def _live_number(
    name: str, text: str, unit: str, field: str = "", divisor: float = 1.0
) -> BenchmarkFamily:
    """Return the family of a field, which has the name of the metric unless it is given."""
    return BenchmarkFamily(f"live_{name}", text, _live(field or name, divisor), _LIVE, unit=unit)


LIVE_FAMILIES = (
    _live_number("users", "Users running; absent with a planned rate.", "users"),
    _live_number("requests_per_second", "Rate of requests over the last seconds.", "requests/s"),
    _live_number(
        "planned_requests_per_second",
        "Scheduled rate of the current step; absent with users.",
        "requests/s",
    ),
    _live_number("step_requests", "Requests of the current step so far.", "requests", "requests"),
    BenchmarkFamily(
        "live_latency_seconds",
        "Percentiles of the last ten seconds over all workers: of the service time, with a planned"
        " rate of the response time.",
        _live_times,
        (*_LIVE, "quantile"),
        unit="s",
    ),
    _live_number("recent_failures", "Requests that failed in the last ten seconds.", "requests"),
    _live_number(
        "failed_ratio",
        "Share of the requests of the last ten seconds that failed.",
        "ratio",
        "recent_failed_percent",
        100,
    ),
)


def _one(
    read: Callable[[ShownBenchmark], float | datetime | None],
) -> Callable[[ShownBenchmark], list[Sample]]:
    """Return a sample without labels, of a moment its Unix time."""

    def samples(benchmark: ShownBenchmark) -> list[Sample]:
        number = read(benchmark)
        return [((), number.timestamp() if isinstance(number, datetime) else number)]

    return samples


def _index_pods(benchmark: ShownBenchmark) -> IndexPodsStatus:
    return benchmark.status.dataset.pods or IndexPodsStatus()


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
        lambda b: [((each.type, each.status), 1) for each in b.status.conditions],
        ("type", "status"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "benchmark_phase_start_timestamp_seconds",
        "Unix time at which the current phase began.",
        _one(lambda b: b.status.phase_start_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_created_timestamp_seconds",
        "Unix time at which the benchmark was created.",
        _one(lambda b: b.created),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_start_timestamp_seconds",
        "Unix time at which the benchmark left the queue; absent before.",
        _one(lambda b: b.status.start_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_end_timestamp_seconds",
        "Unix time at which the benchmark succeeded or failed; absent before.",
        _one(lambda b: b.status.completion_time),
        unit="Unix time, s",
    ),
    BenchmarkFamily(
        "benchmark_queue_position",
        "Place in the queue, 1 for the next; absent unless the benchmark waits for others.",
        _one(lambda b: None if b.status.queue is None else b.status.queue.position),
        unit="place",
    ),
    BenchmarkFamily(
        "benchmark_attempts",
        "Times that target and load were started, without those of repeats that start anew and"
        " after suspensions; more than 1 means that pods were lost.",
        lambda b: [
            (("target",), b.status.attempts.starts_of_target),
            (("load",), b.status.attempts.starts_of_load),
        ],
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
        "benchmark_indexing_cleaned_documents",
        "Documents in which `dataset.cleaning` changed anything.",
        _one(lambda b: cleaned.documents if (cleaned := b.status.dataset.cleaned) else None),
        unit="documents",
    ),
    BenchmarkFamily(
        "benchmark_indexing_commit_seconds",
        "Time of the commit after the last document.",
        _one(lambda b: b.status.dataset.commit_seconds),
        unit="s",
    ),
    BenchmarkFamily(
        "benchmark_indexing_waiting_ratio",
        "Share of the time in which the streams of the index pods waited for Solr.",
        _one(lambda b: scaled(b.status.dataset.waiting_percent, 100)),
        unit="ratio",
    ),
    BenchmarkFamily(
        "benchmark_indexing_valid",
        "1 if the documents per second are those of Solr, 0 if the index pods were the limit.",
        _one(lambda b: {"Valid": 1, "Invalid": 0}.get(b.status.dataset.verdict or "")),
        unit="1 or 0",
    ),
    BenchmarkFamily(
        "benchmark_indexing_bottleneck",
        "Always 1; what held indexing back is in the label `resource`, None for nothing.",
        lambda b: [((each.resource,), 1) for each in [b.status.dataset.bottleneck] if each],
        ("resource",),
        unit="always 1",
    ),
    *table_families(
        "benchmark_indexing_",
        IndexingTelemetry,
        lambda b: filter(None, [b.status.dataset.solr]),
        (),
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
        _one(lambda b: scaled(_index_pods(b).throttled_percent, 100)),
        unit="ratio",
    ),
)

FAMILIES = (*BENCHMARK_FAMILIES, *LIVE_FAMILIES, *RESULT_FAMILIES)
_RESULT_NAMES = frozenset(family.name for family in RESULT_FAMILIES)


@dataclass(frozen=True)
class FinishedBenchmark(ShownResource):
    """A benchmark whose numbers do not change any more.

    `series` has the labels and the numbers of each family that has any, by the family's name.
    """

    phase: str
    series: Mapping[str, tuple[tuple[tuple[str, ...], ...], "array[float]"]]

    def read(self, family: MetricFamily[Any]) -> Iterable[Sample]:
        """Return the samples of a family."""
        return zip(*self.series.get(family.name, ((), ())), strict=True)

    def without_results(self) -> Self:
        """Return the benchmark without the samples of its results."""
        # At every scrape and every update: what has none any more must not be copied again.
        if _RESULT_NAMES.isdisjoint(self.series):
            return self
        kept = {name: each for name, each in self.series.items() if name not in _RESULT_NAMES}
        return replace(self, series=kept)


def freeze(benchmark: ShownBenchmark) -> FinishedBenchmark:
    """Return what the families show of a benchmark that is over."""
    series = {}
    for family in FAMILIES:
        samples = [sample for sample in family.samples(benchmark) if sample[1] is not None]
        if samples:
            labels = tuple(labels for labels, _ in samples)
            # An array has 8 bytes for a number where a list has a pointer and an object.
            numbers = array("d", (number for _, number in samples if number is not None))
            series[family.name] = (_share(labels), numbers)
    return FinishedBenchmark(
        benchmark.namespace, benchmark.name, benchmark.end, benchmark.phase, series
    )


@lru_cache(maxsize=1024)
def _share(labels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return the labels once for all families and benchmarks that have the same."""
    return labels


class BenchmarkStore(ResourceStore[ShownBenchmark | FinishedBenchmark]):
    """The latest status of every benchmark, as Prometheus collects it."""

    families = FAMILIES

    def update(self, benchmark: SolrBenchmark) -> None:
        """Show `benchmark` from the next scrape on."""
        metadata, status = benchmark.metadata, benchmark.status
        shown = ShownBenchmark(
            namespace=metadata.namespace,
            name=metadata.name,
            end=status.completion_time,
            phase=status.phase,
            status=status,
            created=metadata.creation_timestamp,
        )
        self._keep(benchmark.key, shown if shown.end is None else freeze(shown))

    def render(self, shown: list[ShownBenchmark | FinishedBenchmark]) -> Iterator[Metric]:
        """Yield the number of benchmarks by phase, then every family with its samples."""
        name = "solrbench_benchmarks"
        phases = Metric(name, "Benchmarks by phase.", "gauge")
        for phase, number in sorted(Counter(benchmark.phase for benchmark in shown).items()):
            phases.add_sample(name, {"phase": phase}, number)
        yield phases
        yield from super().render(shown)
