"""Prometheus metrics of the step under way."""

from collections.abc import Callable, Iterator

from solrbench.metrics.family import BenchmarkFamily, Sample, ShownBenchmark


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
