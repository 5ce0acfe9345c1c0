"""What is counted during a step run, by request name and second.

Each request name has one recorder for the requests before measuring began (the ramp) and one for
those after. Both count into the current second; when it is over, its numbers are moved into the
totals and handed out, so that a live view costs nothing per request. Names that are not known
beforehand are limited in number: each has results and metrics.
"""

from solrbench.contract.step_document import PARTIAL_RESULTS, ConnectionResult
from solrbench.load.recording.open_loop import LatencyRecorder
from solrbench.load.recording.request_stats import (
    BATCH,
    NEVER_NS,
    RequestStats,
    RequestTotals,
    SlowSample,
    failure_kinds,
)
from solrbench.load.recording.worker_result import (
    MAX_MICRO_BATCHES,
    MICRO_BATCH_REQUESTS,
    MicroBatch,
    WorkerRequestStats,
)
from solrbench.load.workload.name_table import ALL_CHECKED, UncheckedNames
from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure, is_failure
from solrbench.stats.histograms import Histogram

OTHER = "other"
"""Name for the requests of all names that came too late."""

_LONGEST = 100
_MIN_MICRO_BATCH = 5


class NameLimiter:
    """The first names that come are kept, for good: `most` at most, with the one for the rest."""

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


class ConnectionCounts(LatencyRecorder):
    """The connections of one step run on one worker, by the time that each took to open."""

    def result(self) -> ConnectionResult:
        """Return what was counted."""
        times = self.histogram()
        return ConnectionResult(
            opened=times.count,
            open_time_histogram=times.encode(),
            open_sum_microseconds=self.sum_microseconds,
            open_max_microseconds=self.max_microseconds,
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
        self._ramp: list[RequestStats] = []
        self._measured: list[RequestStats] = []
        for index, name in enumerate(names):
            self.add(name, is_transaction=index in transactions)
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
        self._micro_batch: list[int] = []
        """Service times in µs of the micro-batch being filled."""
        self._micro_batch_failures = 0
        # Very many workers would have one or two requests each; they reach a thousand in a moment,
        # so its end is known well enough with a few more.
        self._micro_batch_size = max(MICRO_BATCH_REQUESTS // workers, _MIN_MICRO_BATCH)
        self._max_micro_batches = max(MAX_MICRO_BATCHES // workers, 1)
        self._micro_batches: list[MicroBatch] = []

    def add(self, name: str, *, is_transaction: bool = False) -> int:
        """Begin to count under another request name; return its index."""
        self._ramp.append(RequestStats(name, is_transaction=is_transaction))
        self._measured.append(RequestStats(name, is_transaction=is_transaction))
        return len(self._measured) - 1

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
        # The planned start decides, not the sending: a stall at the end of the ramp would else move
        # its requests into the measurement.
        if (planned_ns or started_ns) >= self.origin_ns:
            stats = self._measured[request.name]
            if started_ns < self.first_ns:  # noqa: PLR1730 - a call to min would cost more
                self.first_ns = started_ns
            self.last_ns = ended_ns
            if not stats.is_transaction:
                micro_batch = self._micro_batch
                micro_batch.append(microseconds)
                if failed is not None and is_failure(failed):
                    self._micro_batch_failures += 1
                if len(micro_batch) >= self._micro_batch_size:
                    self._close_micro_batch(ended_ns)
        else:
            stats = self._ramp[request.name]
        times = stats.times
        times.append(microseconds)
        stats.sizes.append(received)
        if failed is not None:
            stats.record_failure(failed, microseconds)
        if len(times) >= BATCH:
            stats.count_batch()
        return microseconds > stats.slow.threshold_microseconds

    def add_slow_request(self, sample: SlowSample) -> None:
        """Keep one of the slowest requests; those of the ramp are passed over."""
        if sample.started_ns >= self.origin_ns:
            self._measured[sample.request.name].slow.add(sample)

    def record_connection(self, tried_ns: int, opened_ns: int) -> None:
        """Count a connection, if measuring had begun when it was tried."""
        if tried_ns >= self.origin_ns:
            self.connections.record((opened_ns - tried_ns) // 1000)

    def count_retry(self, request: PreparedRequest, started_ns: int) -> None:
        """Count a request that is sent again, if measuring had begun when it was sent first."""
        self._measured[request.name].retried += started_ns >= self.origin_ns

    def totals(self) -> tuple[int, int, int]:
        """Return requests, failures and the sum of service times in µs of the seconds taken.

        While the ramp lasts, the requests and failures are its own, and the sum is 0; afterwards
        it is at least 1 for each request, of which a locustfile may say that it took no time.
        """
        measuring = self.origin_ns != NEVER_NS
        stats = self._measured if measuring else self._ramp
        counts = [each.total for each in stats if not each.is_transaction]
        requests = sum(each.requests for each in counts)
        spent = max(sum(each.sum_microseconds for each in counts), requests)
        return requests, sum(each.failures for each in counts), spent if measuring else 0

    def take_finished_seconds(
        self, now_ns: int, *, last: bool = False
    ) -> list[tuple[str, RequestTotals]]:
        """Return, by name, the seconds that ended since the last call; `last` ends one early."""
        if last or now_ns >= self._boundary_ns:
            self._flush_seconds(now_ns)
        rolled, self._finished_seconds = self._finished_seconds, []
        return rolled

    def _flush_seconds(self, now_ns: int) -> None:
        # Rounded up: the second in which the drain begins ends early.
        number = max(-((self.origin_ns - self._boundary_ns) // SECOND_NS) - 1, 0)
        if now_ns >= self._boundary_ns:
            self._boundary_ns = self._next_boundary_ns(now_ns)
        for both in zip(self._ramp, self._measured, strict=True):
            for stats in both:
                done = stats.flush_second(number)
                if done is not None:
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
        self._close_micro_batch(self.last_ns)
        return self._micro_batches

    def _close_micro_batch(self, ended_ns: int) -> None:
        times = self._micro_batch
        if times and len(self._micro_batches) < self._max_micro_batches:
            end_microseconds = (ended_ns - self.origin_ns) // 1000
            sums = (len(times), self._micro_batch_failures, sum(times), max(times))
            self._micro_batches.append(MicroBatch(end_microseconds, *sums))
        times.clear()
        self._micro_batch_failures = 0

    def results(self) -> list[WorkerRequestStats]:
        """Return what was measured; names that were never sent are left out."""
        return [
            self.result(index)
            for index, (ramp, stats) in enumerate(zip(self._ramp, self._measured, strict=True))
            if ramp.total.requests or stats.total.requests
        ]

    def result(self, index: int) -> WorkerRequestStats:
        """Return what was measured of one name; counts that its responses may hide are left out."""
        stats, ramp = self._measured[index], self._ramp[index].total
        parts = [stats]
        if stats.is_transaction:
            # The whole has no response of its own, so those of its requests decide.
            parts = [each for each in self._measured if each.name.startswith(f"{stats.name}.")]
        has_headerless = any(each.has_headerless for each in parts)
        hides_partial = has_headerless or index in self._unchecked.partial
        hides_empty = index in self._unchecked.empty
        measured = stats.total
        some = measured.requests > 0
        failed = Histogram.from_buckets(stats.failed).encode() if stats.failed else None
        return WorkerRequestStats(
            request=stats.name,
            is_transaction=stats.is_transaction,
            requests=measured.requests,
            failures=measured.failures,
            failure_kinds=failure_kinds(measured.kinds, stats.samples),
            partial_results=None if hides_partial else measured.kinds[PARTIAL_RESULTS],
            empty_results=None if hides_empty else measured.empty_results,
            ramp_requests=ramp.requests,
            ramp_failures=ramp.failures,
            retried_requests=stats.retried,
            bytes_received=measured.bytes_received,
            sum_microseconds=measured.sum_microseconds,
            min_microseconds=measured.min_microseconds if some else None,
            max_microseconds=measured.max_microseconds if some else None,
            service_time_histogram=Histogram.from_buckets(measured.buckets).encode(),
            service_time_blocks=stats.blocks.encode(),
            failed_time_histogram=failed,
            windows=stats.windows,
            slow_requests=stats.slow.entries(self.origin_ns),
        )
