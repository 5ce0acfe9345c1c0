"""The totals of one request name, in the ramp and in the measurement.

Within a second, samples are put into a list and counted a few hundred at a time, which costs a
third of counting each and holds the event loop up for less than 0.1 ms.
"""

from collections import Counter
from dataclasses import dataclass, field

from solrbench.load.recording.slow_requests import SlowestRequests
from solrbench.load.recording.window_sums import SecondSums, WindowSums
from solrbench.load.validation.response_checks import (
    EMPTY_RESULT,
    NO_HEADER,
    RequestFailure,
    is_failure,
)
from solrbench.results.model.step_result import FailureKind
from solrbench.results.stats.histograms import bucket_of, buckets_of
from solrbench.results.stats.time_blocks import TimeBlocks

NEVER_NS = 2**63
"""A time that no clock of the engine reaches."""

BATCH = 256


@dataclass
class RequestTotals:
    """Requests of one name that ended in some span of time."""

    requests: int = 0
    failures: int = 0
    bytes_received: int = 0
    sum_microseconds: int = 0
    min_microseconds: int = NEVER_NS
    max_microseconds: int = 0
    buckets: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    empty_results: int = 0

    def add(self, other: "RequestTotals") -> None:
        """Count what another span of time counted."""
        self.requests += other.requests
        self.failures += other.failures
        self.bytes_received += other.bytes_received
        self.sum_microseconds += other.sum_microseconds
        self.min_microseconds = min(self.min_microseconds, other.min_microseconds)
        self.max_microseconds = max(self.max_microseconds, other.max_microseconds)
        self.buckets.update(other.buckets)
        self.kinds.update(other.kinds)
        self.empty_results += other.empty_results


@dataclass
class SecondStats(RequestTotals):
    """The requests of one name that ended in the current second."""

    is_transaction: bool = False
    """Counts whole transactions, whose requests are counted apart."""


class RequestStats:
    """One request name, before or after measuring began.

    Attributes:
        total: the seconds that are over
        blocks: their times by block of time, of which intervals are made
        failed: service times of the failures, by bucket of a histogram
        slow: the slowest requests
        has_headerless: a good response had no header, so it does not say whether it is partial
        windows: sums of the seconds that are over and had requests, rolled up when many
        times: service times in µs of the batch being filled; the hot path appends here
        sizes: bytes of its responses

    """

    __slots__ = (
        "_samples",
        "_second",
        "blocks",
        "failed",
        "has_headerless",
        "sizes",
        "slow",
        "times",
        "total",
        "windows",
    )

    def __init__(self) -> None:
        self.total = RequestTotals()
        self.blocks = TimeBlocks()
        self.failed: Counter[int] = Counter()
        self.slow = SlowestRequests()
        self.has_headerless = False
        self.windows = WindowSums()
        self._second = SecondStats()
        self._samples: dict[str, str] = {}
        self.times: list[int] = []
        self.sizes: list[int] = []

    def flush_second(self, number: int) -> SecondStats | None:
        """Move the current second, which is the given one of the step run, into the totals."""
        self.count_batch()
        done = self._second
        if not done.requests:
            return None
        done.failures = done.kinds.total()
        self._second = SecondStats()
        self.total.add(done)
        sums = (done.requests, done.failures, done.sum_microseconds, done.max_microseconds)
        self.windows.append(SecondSums(number, *sums))
        self.blocks.add(number, done.buckets, done.sum_microseconds)
        return done

    def failure_kinds(self) -> list[FailureKind]:
        """Return the kinds of failure, the most frequent first."""
        ordered = sorted(self.total.kinds.items(), key=lambda item: (-item[1], item[0]))
        return [FailureKind(kind=k, count=n, sample=self._samples[k]) for k, n in ordered]

    def record_failure(self, failure: RequestFailure, microseconds: int) -> None:
        """Count a failure, or a remark on a good response."""
        if not is_failure(failure):
            self._second.empty_results += failure is not NO_HEADER
            self.has_headerless |= failure is not EMPTY_RESULT
            return
        self._second.kinds[failure.kind] += 1
        self.failed[bucket_of(microseconds)] += 1
        self._samples.setdefault(failure.kind, failure.message)

    def count_batch(self) -> None:
        """Move the requests of the batch into the current second."""
        times, sizes, second = self.times, self.sizes, self._second
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


class NamedStats:
    """All that is counted under one request name.

    Attributes:
        name: the request name
        is_transaction: counts whole transactions, which are in no sum of requests
        ramp: requests before measuring began
        measured: requests after
        retried: requests that were sent again

    """

    __slots__ = ("is_transaction", "measured", "name", "ramp", "retried")

    def __init__(self, name: str, *, is_transaction: bool) -> None:
        self.name = name
        self.is_transaction = is_transaction
        self.ramp = RequestStats()
        self.measured = RequestStats()
        self.retried = 0
