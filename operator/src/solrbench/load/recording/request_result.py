"""The result of one request name, as a worker sends it."""

from collections.abc import Mapping, Sequence

from solrbench.load.recording.request_stats import NamedStats
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.workload.name_table import UncheckedNames
from solrbench.results.model.failure_kinds import PARTIAL_RESULTS
from solrbench.results.stats.histograms import Histogram


def build_request_result(
    index: int,
    stats: NamedStats,
    all_stats: Sequence[NamedStats],
    unchecked: UncheckedNames,
    origin_ns: int,
) -> WorkerRequestStats:
    """Return what was measured of the request name at `index` since `origin_ns`.

    `all_stats` are those of all names, as a transaction has the headers of its requests.
    """
    measured, ramp = stats.measured.total, stats.ramp.total
    shows_partial = index not in unchecked.partial and not _has_headerless(stats, all_stats)
    some = measured.requests > 0
    return WorkerRequestStats(
        request=stats.name,
        is_transaction=stats.is_transaction,
        requests=measured.requests,
        failures=measured.failures,
        failure_kinds=stats.measured.failure_kinds(),
        partial_results=measured.kinds[PARTIAL_RESULTS] if shows_partial else None,
        empty_results=None if index in unchecked.empty else measured.empty_results,
        ramp_requests=ramp.requests,
        ramp_failures=ramp.failures,
        retried_requests=stats.retried,
        bytes_received=measured.bytes_received,
        sum_microseconds=measured.sum_microseconds,
        min_microseconds=measured.min_microseconds if some else None,
        max_microseconds=measured.max_microseconds if some else None,
        service_time_histogram=Histogram.from_buckets(measured.buckets).encode(),
        service_time_blocks=stats.measured.blocks.encode(),
        failed_time_histogram=_encoded(stats.measured.failed),
        windows=stats.measured.windows,
        slow_requests=stats.measured.slow.entries(origin_ns),
    )


def _has_headerless(stats: NamedStats, all_stats: Sequence[NamedStats]) -> bool:
    """Say whether a response had no header."""
    parts = [stats]
    if stats.is_transaction:
        parts = [each for each in all_stats if each.name.startswith(f"{stats.name}.")]
    return any(each.measured.has_headerless for each in parts)


def _encoded(failed: Mapping[int, int]) -> str | None:
    return Histogram.from_buckets(failed).encode() if failed else None
