"""What is counted during a step run.

Each request name has one recorder for the requests before measuring began (the ramp) and one for
those after. Both count into the current second; when it is over, `roll` moves its numbers into
the totals and returns them, so that a live view costs nothing per request. Within the second,
samples are put into a list and counted a few hundred at a time, which costs a third of counting
each and holds the event loop up for less than 0.1 ms.
"""

from collections import Counter
from dataclasses import dataclass, field

from solrbench.load.recording.micro_batches import MicroBatches
from solrbench.load.recording.slow_requests import SlowestRequests, SlowSample
from solrbench.load.recording.worker_result import MicroBatch, SecondSums, WorkerRequestStats
from solrbench.load.validation.response_checks import EMPTY_RESULT, RequestFailure
from solrbench.load.workload.name_table import ALL_CHECKED, UncheckedNames
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.results.model.failure_kinds import PARTIAL_RESULTS
from solrbench.results.model.step_result import FailureKind
from solrbench.results.stats.histograms import Histogram, buckets_of

SECOND_NS = 1_000_000_000
NEVER_NS = 2**63
"""A time that no clock of the engine reaches."""

_BATCH = 256


@dataclass
class SecondStats:
    """The requests of one name that ended in the current second."""

    requests: int = 0
    failures: int = 0
    bytes_received: int = 0
    sum_microseconds: int = 0
    min_microseconds: int = NEVER_NS
    max_microseconds: int = 0
    buckets: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    empty_answers: int = 0
    is_transaction: bool = False
    """Counts whole transactions, whose requests are counted apart."""


class RequestStats:
    """One request name, before or after measuring began."""

    def __init__(self) -> None:
        self.second = SecondStats()
        self.requests = 0
        self.failures = 0
        self.empty_answers = 0
        self.slow = SlowestRequests()
        self.bytes_received = 0
        self.sum_microseconds = 0
        self.min_microseconds = NEVER_NS
        self.max_microseconds = 0
        self.buckets: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.samples: dict[str, str] = {}
        self.windows: list[SecondSums] = []
        self._times: list[int] = []
        self._sizes: list[int] = []

    def record(self, microseconds: int, received: int, failure: RequestFailure | None) -> bool:
        """Count one request and say whether it belongs to the slowest; the hot path."""
        times = self._times
        times.append(microseconds)
        self._sizes.append(received)
        if failure is not None:
            self._record_failure(failure)
        if len(times) >= _BATCH:
            self._count()
        return microseconds > self.slow.threshold_microseconds

    def _record_failure(self, failure: RequestFailure) -> None:
        if failure is EMPTY_RESULT:
            self.second.empty_answers += 1
            return
        self.second.kinds[failure.kind] += 1
        self.samples.setdefault(failure.kind, failure.message)

    def _count(self) -> None:
        times, sizes, second = self._times, self._sizes, self.second
        if not times:
            return
        second.requests += len(times)
        second.bytes_received += sum(sizes)
        second.sum_microseconds += sum(times)
        second.max_microseconds = max(second.max_microseconds, *times)
        second.min_microseconds = min(second.min_microseconds, *times)
        second.buckets.update(buckets_of(times))
        times.clear()
        sizes.clear()

    def flush_second(self, number: int) -> SecondStats | None:
        """Move the current second, which is the given one of the step run, into the totals."""
        self._count()
        done = self.second
        if not done.requests:
            return None
        done.failures = done.kinds.total()
        self.second = SecondStats()
        self.requests += done.requests
        self.failures += done.failures
        self.empty_answers += done.empty_answers
        self.bytes_received += done.bytes_received
        self.sum_microseconds += done.sum_microseconds
        self.min_microseconds = min(self.min_microseconds, done.min_microseconds)
        self.max_microseconds = max(self.max_microseconds, done.max_microseconds)
        self.buckets.update(done.buckets)
        self.kinds.update(done.kinds)
        sums = (done.requests, done.failures, done.sum_microseconds, done.max_microseconds)
        self.windows.append(SecondSums(number, *sums))
        return done

    def failure_kinds(self) -> list[FailureKind]:
        """Return the kinds of failure, the most frequent first."""
        ordered = sorted(self.kinds.items(), key=lambda item: (-item[1], item[0]))
        return [FailureKind(kind=k, count=n, sample=self.samples[k]) for k, n in ordered]


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

        `transactions` are the places of whole transactions; of the names in `unchecked` there are
        counts that could not be made.
        """
        self.names = names
        self._transactions = transactions
        self._unchecked = unchecked
        self.retried = [0] * len(names)
        self._ramp = [RequestStats() for _ in names]
        self._measured = [RequestStats() for _ in names]
        self.origin_ns = NEVER_NS
        """When measuring began."""
        self._boundary_ns = now_ns + SECOND_NS
        self.first_ns = NEVER_NS
        """When the first measured request was sent."""
        self.last_ns = 0
        """When the last response to a measured request came."""
        self._finished_seconds: list[tuple[str, SecondStats]] = []
        self._micro_batches = MicroBatches(workers)
        self._micro_batch = self._micro_batches.times
        self._micro_batch_size = self._micro_batches.size

    def add(self, name: str) -> int:
        """Begin to count under another request name; return its place."""
        self.names += (name,)
        self.retried.append(0)
        self._ramp.append(RequestStats())
        self._measured.append(RequestStats())
        return len(self.names) - 1

    def measure_from(self, now_ns: int) -> None:
        """Begin to measure: requests sent from now on count."""
        self._flush_seconds(now_ns)
        self.origin_ns = now_ns
        self._boundary_ns = now_ns + SECOND_NS

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
        if (planned_ns or started_ns) >= self.origin_ns:
            recorder = self._measured[request.name]
            if started_ns < self.first_ns:  # noqa: PLR1730 - a call to min would cost more
                self.first_ns = started_ns
            self.last_ns = ended_ns
            if request.name not in self._transactions:
                micro_batch = self._micro_batch
                micro_batch.append(microseconds)
                if failed is not None and failed is not EMPTY_RESULT:
                    self._micro_batches.failures += 1
                if len(micro_batch) >= self._micro_batch_size:
                    self._micro_batches.close(ended_ns - self.origin_ns)
        else:
            recorder = self._ramp[request.name]
        return recorder.record(microseconds, received, failed)

    def add_slow_request(self, sample: SlowSample) -> None:
        """Keep one of the slowest requests; those of the ramp are passed over."""
        if sample.started_ns >= self.origin_ns:
            self._measured[sample.request.name].slow.add(sample)

    @property
    def first_seconds(self) -> float | None:
        """First measured request, counted from the begin of measuring; None without any."""
        return (self.first_ns - self.origin_ns) / SECOND_NS if self.last_ns else None

    @property
    def last_seconds(self) -> float | None:
        """Last answer, counted the same way."""
        return (self.last_ns - self.origin_ns) / SECOND_NS if self.last_ns else None

    def totals(self) -> tuple[int, int]:
        """Return requests and failures up to the last roll: measured, or of the ramp before."""
        ledgers = self._ramp if self.origin_ns == NEVER_NS else self._measured
        counted = [each for i, each in enumerate(ledgers) if i not in self._transactions]
        return sum(each.requests for each in counted), sum(each.failures for each in counted)

    def measured_microseconds(self) -> int:
        """Return the sum of the service times of measured requests up to the last roll."""
        return sum(
            each.sum_microseconds
            for index, each in enumerate(self._measured)
            if index not in self._transactions
        )

    def take_finished_seconds(
        self, now_ns: int, *, last: bool = False
    ) -> list[tuple[str, SecondStats]]:
        """Return the seconds that ended since the last call, by request name.

        `last` ends the current second early.
        """
        if last or now_ns >= self._boundary_ns:
            self._flush_seconds(now_ns)
        rolled, self._finished_seconds = self._finished_seconds, []
        return rolled

    def _flush_seconds(self, now_ns: int) -> None:
        number = max((self._boundary_ns - self.origin_ns) // SECOND_NS - 1, 0)
        behind = max((now_ns - self._boundary_ns) // SECOND_NS, -1)
        self._boundary_ns += (behind + 1) * SECOND_NS
        pairs = zip(self.names, self._ramp, self._measured, strict=True)
        for index, (name, ramp, measured) in enumerate(pairs):
            for recorder in (ramp, measured):
                done = recorder.flush_second(number)
                if done is not None:
                    done.is_transaction = index in self._transactions
                    self._finished_seconds.append((name, done))

    def micro_batches(self) -> list[MicroBatch]:
        """Return all measured requests a handful at a time."""
        return self._micro_batches.take(self.last_ns - self.origin_ns)

    def results(self) -> list[WorkerRequestStats]:
        """Return what was measured; names that were never sent are left out."""
        return [
            self._result(index, ramp, measured)
            for index, (ramp, measured) in enumerate(zip(self._ramp, self._measured, strict=True))
            if ramp.requests or measured.requests
        ]

    def _result(self, index: int, ramp: RequestStats, measured: RequestStats) -> WorkerRequestStats:
        some, unseen = measured.requests > 0, self._unchecked
        return WorkerRequestStats(
            request=self.names[index],
            is_transaction=index in self._transactions,
            requests=measured.requests,
            failures=measured.failures,
            failure_kinds=measured.failure_kinds(),
            partial_answers=None if index in unseen.partial else measured.kinds[PARTIAL_RESULTS],
            empty_answers=None if index in unseen.empty else measured.empty_answers,
            ramp_requests=ramp.requests,
            ramp_failures=ramp.failures,
            retried_requests=self.retried[index],
            bytes_received=measured.bytes_received,
            sum_microseconds=measured.sum_microseconds,
            min_microseconds=measured.min_microseconds if some else None,
            max_microseconds=measured.max_microseconds if some else None,
            service_time_histogram=Histogram.from_buckets(measured.buckets).encode(),
            windows=measured.windows,
            slow_requests=measured.slow.entries(self.origin_ns),
        )

    def empty_result(self, index: int) -> WorkerRequestStats:
        """Return the result of a request name that was never sent."""
        return self._result(index, RequestStats(), RequestStats())
