"""What is counted during a step run, by request name and second.

Each request name has one recorder for the requests before measuring began (the ramp) and one for
those after. Both count into the current second; when it is over, its numbers are moved into the
totals and handed out, so that a live view costs nothing per request. Names that are not known
beforehand are limited in number: each has results and metrics.
"""

from solrbench.contract.step_document import ConnectionResult
from solrbench.load.recording.open_loop import LatencyRecorder
from solrbench.load.recording.request_stats import (
    BATCH,
    NEVER_NS,
    NamedStats,
    RequestTotals,
    SlowSample,
    build_request_result,
)
from solrbench.load.recording.worker_result import MicroBatch, MicroBatches, WorkerRequestStats
from solrbench.load.workload.name_table import ALL_CHECKED, UncheckedNames
from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure, is_failure

OTHER = "other"
"""Name for the requests of all names that came too late."""

_LONGEST = 100


class NameLimiter:
    """The first names that come are kept, for good.

    Args:
        most: distinct request names, the one for the rest included
    """

    def __init__(self, most: int) -> None:
        self._max_count = most
        self._names: dict[str, str] = {}

    def limit(self, name: str) -> str:
        """Return the name to count under: `name`, shortened if need be, or `OTHER`."""
        known = self._names.get(name)
        if known is not None:
            return known
        if len(self._names) >= self._max_count - 1:
            return OTHER
        return self._names.setdefault(name, name[:_LONGEST] or OTHER)


class ConnectionCounts:
    """Connections of one step run on one worker."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times = LatencyRecorder()

    def record(self, microseconds: int) -> None:
        """Count a connection by the time that it took to open."""
        self._times.record(microseconds)

    def result(self) -> ConnectionResult:
        """Return what was counted."""
        times = self._times.histogram()
        return ConnectionResult(
            opened=times.count,
            open_time_histogram=times.encode(),
            open_sum_microseconds=self._times.sum_microseconds,
            open_max_microseconds=self._times.max_microseconds,
        )


SECOND_NS = 1_000_000_000


class StepRunRecorder:
    """All request names of one step run on one worker. Times are of one monotonic clock, in ns."""

    def __init__(
        self,
        names: tuple[str, ...],
        now_ns: int,
        transactions: frozenset[int] = frozenset(),
        workers: int = 1,
        unchecked: UncheckedNames = ALL_CHECKED,
    ) -> None:
        """Begin before measuring does.

        `transactions` are the indexes of whole transactions; of the names in `unchecked`, some
        counts cannot be made.
        """
        self._stats = [
            NamedStats(name, is_transaction=index in transactions)
            for index, name in enumerate(names)
        ]
        self._unchecked = unchecked
        self.origin_ns = NEVER_NS
        """When measuring began."""
        self._boundary_ns = now_ns + SECOND_NS
        self._drain_ns = NEVER_NS
        self.first_ns = NEVER_NS
        """When the first measured request was sent."""
        self.last_ns = 0
        """When the last response to a measured request came."""
        self.connections = ConnectionCounts()
        """Connections opened since measuring began."""
        self._finished_seconds: list[tuple[str, RequestTotals]] = []
        self._micro_batches = MicroBatches(workers)
        # Both are read for each request, and neither is replaced.
        self._micro_batch = self._micro_batches.times
        self._micro_batch_size = self._micro_batches.size

    def add(self, name: str) -> int:
        """Begin to count under another request name; return its index."""
        self._stats.append(NamedStats(name, is_transaction=False))
        return len(self._stats) - 1

    def measure_from(self, now_ns: int) -> None:
        """Begin to measure: requests sent from now on count."""
        self._flush_seconds(now_ns)
        self.origin_ns = now_ns
        self._boundary_ns = now_ns + SECOND_NS

    def drain_from(self, at_ns: int) -> None:
        """Count what ends from a time on to the seconds that begin then or later."""
        self._drain_ns = at_ns
        if self._boundary_ns - SECOND_NS < at_ns < self._boundary_ns:
            self._boundary_ns = at_ns

    def record(  # noqa: PLR0913, PLR0917 - packing them would cost more than counting them
        self,
        request: PreparedRequest,
        started_ns: int,
        ended_ns: int,
        received: int,
        failed: RequestFailure | None,
        planned_ns: int = 0,
    ) -> bool:
        """Count a request and say whether `add_slow_request` wants to know it; the hot path.

        It is measured if it began, or was planned, after measuring did.
        """
        if ended_ns >= self._boundary_ns:
            self._flush_seconds(ended_ns)
        microseconds = (ended_ns - started_ns) // 1000
        stats = self._stats[request.name]
        if (planned_ns or started_ns) >= self.origin_ns:
            recorder = stats.measured
            if started_ns < self.first_ns:  # noqa: PLR1730 - a call to min would cost more
                self.first_ns = started_ns
            self.last_ns = ended_ns
            if not stats.is_transaction:
                micro_batch = self._micro_batch
                micro_batch.append(microseconds)
                if failed is not None and is_failure(failed):
                    self._micro_batches.failures += 1
                if len(micro_batch) >= self._micro_batch_size:
                    self._micro_batches.close(ended_ns - self.origin_ns)
        else:
            recorder = stats.ramp
        times = recorder.times
        times.append(microseconds)
        recorder.sizes.append(received)
        if failed is not None:
            recorder.record_failure(failed, microseconds)
        if len(times) >= BATCH:
            recorder.count_batch()
        return microseconds > recorder.slow.threshold_microseconds

    def add_slow_request(self, sample: SlowSample) -> None:
        """Keep one of the slowest requests; those of the ramp are passed over."""
        if sample.started_ns >= self.origin_ns:
            self._stats[sample.request.name].measured.slow.add(sample)

    def record_connection(self, tried_ns: int, opened_ns: int) -> None:
        """Count a connection, if measuring had begun when it was tried."""
        if tried_ns >= self.origin_ns:
            self.connections.record((opened_ns - tried_ns) // 1000)

    def count_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._stats[request.name].retried += 1

    @property
    def first_seconds(self) -> float | None:
        """First measured request, counted from the begin of measuring; None without any."""
        return (self.first_ns - self.origin_ns) / SECOND_NS if self.last_ns else None

    @property
    def last_seconds(self) -> float | None:
        """Last response, counted the same way."""
        return (self.last_ns - self.origin_ns) / SECOND_NS if self.last_ns else None

    def totals(self) -> tuple[int, int]:
        """Return requests and failures of the seconds taken; of the ramp while it lasts."""
        measuring = self.origin_ns != NEVER_NS
        counts = [
            (each.measured if measuring else each.ramp).total
            for each in self._stats
            if not each.is_transaction
        ]
        return sum(each.requests for each in counts), sum(each.failures for each in counts)

    def measured_microseconds(self) -> int:
        """Return the sum of the service times of measured requests in the seconds taken."""
        return sum(
            request_stats.measured.total.sum_microseconds
            for request_stats in self._stats
            if not request_stats.is_transaction
        )

    def take_finished_seconds(
        self, now_ns: int, *, last: bool = False
    ) -> list[tuple[str, RequestTotals]]:
        """Return the seconds that ended since the last call, by request name.

        `last` ends the current second early.
        """
        if last or now_ns >= self._boundary_ns:
            self._flush_seconds(now_ns)
        rolled, self._finished_seconds = self._finished_seconds, []
        return rolled

    def _flush_seconds(self, now_ns: int) -> None:
        # Rounded up: the second in which the drain begins ends early.
        number = max(-((self.origin_ns - self._boundary_ns) // SECOND_NS) - 1, 0)
        if now_ns >= self._boundary_ns:
            self._boundary_ns = self._next_boundary_ns(now_ns)
        for stats in self._stats:
            for recorder in (stats.ramp, stats.measured):
                done = recorder.flush_second(number)
                if done is not None:
                    done.is_transaction = stats.is_transaction
                    self._finished_seconds.append((stats.name, done))

    def _next_boundary_ns(self, now_ns: int) -> int:
        """Return the end of the second of `now_ns`; the drain begins with a second of its own."""
        base_ns = self._boundary_ns if self._drain_ns == NEVER_NS else self.origin_ns
        end_ns = base_ns + ((now_ns - base_ns) // SECOND_NS + 1) * SECOND_NS
        if not end_ns - SECOND_NS < self._drain_ns < end_ns:
            return end_ns
        return self._drain_ns if now_ns < self._drain_ns else end_ns + SECOND_NS

    def micro_batches(self) -> list[MicroBatch]:
        """Return all measured requests a handful at a time."""
        return self._micro_batches.take(self.last_ns - self.origin_ns)

    def results(self) -> list[WorkerRequestStats]:
        """Return what was measured; names that were never sent are left out."""
        return [
            build_request_result(index, stats, self._stats, self._unchecked, self.origin_ns)
            for index, stats in enumerate(self._stats)
            if stats.ramp.total.requests or stats.measured.total.requests
        ]

    def empty_result(self, index: int) -> WorkerRequestStats:
        """Return the result of a request name that was never sent."""
        stats = self._stats[index]
        never = NamedStats(stats.name, is_transaction=stats.is_transaction)
        never.retried = stats.retried
        return build_request_result(index, never, self._stats, self._unchecked, self.origin_ns)
