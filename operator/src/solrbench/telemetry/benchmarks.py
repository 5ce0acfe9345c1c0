"""Prometheus metrics of benchmarks, rendered from their latest status at every scrape.

Base units, as Prometheus' naming rules ask (https://prometheus.io/docs/practices/naming/): seconds,
bytes, ratios. A number that was not measured gives no sample. Labels are bounded by the resource:
at most 32 steps and 1600 results for each benchmark.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.registry import Collector

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import StepResult
from solrbench.results.verdict import VALID

Sample = tuple[tuple[str, ...], float | None]
"""Values of the labels after namespace and benchmark, and the number if there is one."""


@dataclass(frozen=True)
class Family:
    """One metric of benchmarks.

    Attributes:
        name: without the prefix `solrbench_`
        text: what it means
        samples: reads it from a benchmark
        labels: names of the labels after namespace and benchmark
        kind: type in the exposition format

    """

    name: str
    text: str
    samples: Callable[[SolrBenchmark], Iterable[Sample]]
    labels: tuple[str, ...] = ()
    kind: str = "gauge"

    @property
    def full_name(self) -> str:
        """The name that Prometheus stores."""
        return f"solrbench_{self.name}"

    def render(self, benchmarks: Iterable[SolrBenchmark]) -> Metric:
        """Return the family with the samples of `benchmarks`."""
        metric = Metric(self.full_name, self.text, self.kind)
        for benchmark in benchmarks:
            owner = {
                "namespace": benchmark.metadata.namespace,
                "benchmark": benchmark.metadata.name,
            }
            for values, number in self.samples(benchmark):
                labels = owner | dict(zip(self.labels, values, strict=True))
                if number is not None:
                    metric.add_sample(self.full_name, labels, number)
        return metric


def _one(read: Callable[[SolrBenchmark], float | None]) -> Callable[[SolrBenchmark], list[Sample]]:
    return lambda benchmark: [((), read(benchmark))]


def _conditions(benchmark: SolrBenchmark) -> Iterator[Sample]:
    for condition in benchmark.status.conditions:
        yield (condition.type, condition.status), 1


def _attempts(benchmark: SolrBenchmark) -> Iterator[Sample]:
    yield ("target",), benchmark.status.attempts.target
    yield ("load",), benchmark.status.attempts.load


def _phase_start(benchmark: SolrBenchmark) -> float | None:
    moment = benchmark.status.phase_start_time
    return None if moment is None else moment.timestamp()


def _live(field: str) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    def samples(benchmark: SolrBenchmark) -> Iterator[Sample]:
        load = benchmark.status.load
        if load is not None:
            yield (load.step or "", load.variant or ""), getattr(load, field)

    return samples


def _results(field: str, divisor: int = 1) -> Callable[[SolrBenchmark], Iterator[Sample]]:
    def samples(benchmark: SolrBenchmark) -> Iterator[Sample]:
        for result in benchmark.status.results:
            number = getattr(result, field)
            yield _place(result), None if number is None else number / divisor

    return samples


def _quantiles(prefix: str = "") -> Callable[[SolrBenchmark], Iterator[Sample]]:
    percents = {"0.5": 50, "0.75": 75, "0.95": 95, "0.99": 99}

    def samples(benchmark: SolrBenchmark) -> Iterator[Sample]:
        for result in benchmark.status.results:
            for quantile, percent in percents.items():
                milliseconds = getattr(result, f"{prefix}p{percent}_milliseconds")
                seconds = None if milliseconds is None else milliseconds / 1000
                yield (*_place(result), quantile), seconds

    return samples


def _valid(benchmark: SolrBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.verdicts:
        yield (each.step, each.variant or ""), each.verdict == VALID


def _invalid_reasons(benchmark: SolrBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.verdicts:
        for doubt in each.reasons:
            yield (each.step, each.variant or "", doubt.reason), 1


def _place(result: StepResult) -> tuple[str, ...]:
    """Return the values of the labels in `_RESULT`."""
    return result.step, result.request, result.variant or ""


_LIVE = ("step", "variant")
_RESULT = ("step", "request", "variant")
"""An empty `variant` is no label at all to Prometheus."""

FAMILIES = (
    Family(
        "benchmark_info",
        "Always 1; the phase is in the label.",
        lambda b: [((b.status.phase,), 1)],
        ("phase",),
    ),
    Family(
        "benchmark_condition",
        "Always 1; the status of each condition is in the label.",
        _conditions,
        ("type", "status"),
    ),
    Family(
        "benchmark_phase_start_timestamp_seconds",
        "Unix time at which the phase under way began.",
        _one(_phase_start),
    ),
    Family(
        "benchmark_attempts",
        "Times that target and load were started; more than 1 means that pods were lost.",
        _attempts,
        ("part",),
    ),
    Family(
        "benchmark_steps_stored",
        "Steps measured and stored, over all repeats.",
        _one(lambda b: b.status.report.stored_steps),
    ),
    Family(
        "benchmark_steps_expected",
        "Steps of all repeats.",
        _one(lambda b: b.status.report.total_steps or None),
    ),
    Family(
        "benchmark_documents",
        "Documents that Solr has accepted; after indexing, those counted on every shard.",
        _one(lambda b: b.status.dataset.documents),
    ),
    Family(
        "benchmark_documents_expected",
        "Documents to be indexed, where that is known beforehand.",
        _one(lambda b: b.status.dataset.documents_total),
    ),
    Family(
        "benchmark_index_bytes",
        "Size of the index over all replicas.",
        _one(lambda b: b.status.dataset.index_bytes),
    ),
    Family(
        "benchmark_indexing_seconds",
        "Time from the first batch to the last, over all pods.",
        _one(lambda b: b.status.dataset.seconds),
    ),
    Family(
        "benchmark_indexing_documents_per_second",
        "Documents divided by the seconds of indexing.",
        _one(lambda b: b.status.dataset.documents_per_second),
    ),
    Family(
        "benchmark_indexing_bytes_per_second",
        "Bytes of update requests divided by the seconds of indexing.",
        _one(lambda b: b.status.dataset.bytes_per_second),
    ),
    Family("live_users", "Users running; absent with a planned rate.", _live("users"), _LIVE),
    Family(
        "live_requests_per_second",
        "Rate of requests over the last seconds.",
        _live("requests_per_second"),
        _LIVE,
    ),
    Family(
        "live_planned_requests_per_second",
        "Rate that the step under way plans; absent with users.",
        _live("planned_requests_per_second"),
        _LIVE,
    ),
    Family(
        "live_step_requests",
        "Requests of the step under way so far.",
        _live("requests"),
        _LIVE,
    ),
    Family("step_repeats", "Repeats behind the step's numbers.", _results("repeats"), _RESULT),
    Family(
        "step_requests",
        "Requests measured, failures included.",
        _results("requests"),
        _RESULT,
    ),
    Family(
        "step_failures",
        "Requests whose answer was wrong, missing or late.",
        _results("failures"),
        _RESULT,
    ),
    Family(
        "step_requests_per_second",
        "Requests divided by the seconds of the repeats.",
        _results("requests_per_second"),
        _RESULT,
    ),
    Family(
        "step_requests_per_second_deviation_ratio",
        "Sample standard deviation of the repeats' rates divided by their mean.",
        _results("requests_per_second_deviation_percent", 100),
        _RESULT,
    ),
    Family(
        "step_service_time_average_seconds",
        "Mean service time.",
        _results("average_milliseconds", 1000),
        _RESULT,
    ),
    Family(
        "step_service_time_min_seconds",
        "Shortest service time.",
        _results("min_milliseconds", 1000),
        _RESULT,
    ),
    Family(
        "step_service_time_max_seconds",
        "Longest service time.",
        _results("max_milliseconds", 1000),
        _RESULT,
    ),
    Family(
        "step_service_time_p95_deviation_ratio",
        "Sample standard deviation of the repeats' 95th percentiles divided by their mean.",
        _results("p95_deviation_percent", 100),
        _RESULT,
    ),
    Family(
        "step_steady_from_seconds",
        "Seconds after which service times were steady; none if they never were.",
        _results("steady_from_second"),
        _RESULT,
    ),
    Family(
        "step_outlier_windows",
        "Seconds of the step that were unlike the others.",
        _results("outlier_windows"),
        _RESULT,
    ),
    Family(
        "step_service_time_seconds",
        "Quantiles of the service time, from the merged histogram.",
        _quantiles(),
        (*_RESULT, "quantile"),
        kind="summary",
    ),
    Family(
        "step_response_time_average_seconds",
        "Mean response time; only with a planned rate, as the following.",
        _results("response_average_milliseconds", 1000),
        _RESULT,
    ),
    Family(
        "step_response_time_max_seconds",
        "Longest response time.",
        _results("response_max_milliseconds", 1000),
        _RESULT,
    ),
    Family(
        "step_response_time_p95_deviation_ratio",
        "Sample standard deviation of the repeats' 95th percentiles divided by their mean.",
        _results("response_p95_deviation_percent", 100),
        _RESULT,
    ),
    Family(
        "step_response_time_seconds",
        "Quantiles of the response time, from the merged histogram.",
        _quantiles("response_"),
        (*_RESULT, "quantile"),
        kind="summary",
    ),
    Family(
        "step_late_requests",
        "Requests sent more than 10 ms after their intended start.",
        _results("late_requests"),
        _RESULT,
    ),
    Family(
        "step_dropped_requests",
        "Requests planned but never sent, for want of a free connection.",
        _results("dropped_requests"),
        _RESULT,
    ),
    Family(
        "step_valid",
        "1 if the numbers of the step may be believed, 0 if the step is Invalid.",
        _valid,
        _LIVE,
    ),
    Family(
        "step_invalid_reason",
        "Always 1; why the step is Invalid is in the label.",
        _invalid_reasons,
        (*_LIVE, "reason"),
    ),
)


class BenchmarkStore:
    """The latest model of every benchmark; safe for the handlers' and the server's threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._benchmarks: dict[str, SolrBenchmark] = {}

    def update(self, benchmark: SolrBenchmark) -> None:
        """Show `benchmark` from the next scrape on."""
        with self._lock:
            self._benchmarks[benchmark.key] = benchmark

    def forget(self, key: str) -> None:
        """Show nothing more of the benchmark `namespace/name`; unknown ones are fine."""
        with self._lock:
            self._benchmarks.pop(key, None)

    def all(self) -> list[SolrBenchmark]:
        """Return every benchmark, by key."""
        with self._lock:
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
        for family in FAMILIES:
            yield family.render(benchmarks)


def _count_phases(benchmarks: Iterable[SolrBenchmark]) -> Metric:
    name = "solrbench_benchmarks"
    metric = Metric(name, "Benchmarks by phase.", "gauge")
    for phase, number in sorted(Counter(each.status.phase for each in benchmarks).items()):
        metric.add_sample(name, {"phase": phase}, number)
    return metric
