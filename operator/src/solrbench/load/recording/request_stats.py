"""The totals of one request name, in the ramp and in the measurement, as a worker sends them.

Within a second, samples are put into a list and counted a few hundred at a time, which costs a
third of counting each and holds the event loop up for less than 0.1 ms. Times of the last second go
to the master each second, in buckets 16 times as wide as a histogram's: known to 1.6 %, below 2 ms
to 16 µs. That is enough for a live view; results are made of the whole histograms.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import MAX_SLOW_REQUESTS, FailureKind, SlowRequest
from solrbench.load.workload.requests import PreparedRequest, describe_request
from solrbench.load.workload.response_checks import (
    EMPTY_RESULT,
    NO_HEADER,
    RequestFailure,
    int_after_key,
    is_failure,
    read_javabin,
)
from solrbench.stats.histograms import BUCKETS, Histogram, bucket_of, buckets_of, lowest_of
from solrbench.stats.time_blocks import TimeBlocks

_QTIME = b'"QTime":'
_HEADER_BYTES = 512


class SlowSample(NamedTuple):
    """One slow request; `node` is host and port, None if not reported."""

    microseconds: int
    request: PreparedRequest
    started_ns: int
    node: str | None
    qtime_milliseconds: int | None
    failed: RequestFailure | None


Entry = TypeVar("Entry", bound=tuple[int, int, object])


def keep_largest(heap: list[Entry], entry: Entry, most: int) -> int:
    """Keep an entry in a heap of the largest; return the number that others must exceed, or -1."""
    keep = heapq.heappush if len(heap) < most else heapq.heappushpop
    keep(heap, entry)
    return heap[0][0] if len(heap) == most else -1


class SlowestRequests:
    """Keeps the slowest: those that took longer than `threshold_microseconds`."""

    def __init__(self) -> None:
        self.threshold_microseconds = -1
        self._heap: list[tuple[int, int, SlowSample]] = []
        self._noted = 0

    def add(self, sample: SlowSample) -> None:
        """Keep a sample that is above the bound."""
        self._noted += 1
        # Of equals, those that came first stay.
        entry = (sample.microseconds, -self._noted, sample)
        self.threshold_microseconds = keep_largest(self._heap, entry, MAX_SLOW_REQUESTS)

    def entries(self, origin_ns: int) -> list[SlowRequest]:
        """Return what was kept, the slowest first; measuring began at `origin_ns`."""
        return [
            SlowRequest(
                query=describe_request(sample.request),
                service_time_microseconds=sample.microseconds,
                qtime_milliseconds=sample.qtime_milliseconds,
                node=sample.node,
                second=round((sample.started_ns - origin_ns) / 1e9, 3),
                failure=None if sample.failed is None else sample.failed.kind,
            )
            for _, _, sample in sorted(self._heap, reverse=True)
        ]


def qtime_milliseconds(body: bytes) -> int | None:
    """Return the `QTime` of a response, None if its header has none."""
    if (summary := read_javabin(body)) is not None:
        return (summary.header or {}).get("QTime")
    return int_after_key(body, _QTIME, body.find(_QTIME, 0, _HEADER_BYTES))


NEVER_NS = 2**63
"""A time that no clock of the engine reaches."""

BATCH = 256


@dataclass
class RequestTotals:
    """Requests of one name that ended in some span of time: a second, or all seconds so far.

    The event loop's thread counts into it. A second that is over is counted into no more, so the
    thread of Locust may read it.
    """

    requests: int = 0
    failures: int = 0
    bytes_received: int = 0
    sum_microseconds: int = 0
    min_microseconds: int = NEVER_NS
    max_microseconds: int = 0
    buckets: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    empty_results: int = 0
    is_transaction: bool = False
    """Counts whole transactions, whose requests are counted apart."""

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


class RequestStats:
    """All that is counted under one request name, before or after measuring began.

    A latency is a number in `times` until its batch is full, then part of the second under way, and
    of the total once that second is over. The event loop's thread alone counts into it.
    """

    def __init__(self, name: str, *, is_transaction: bool) -> None:
        self.name = name
        self.is_transaction = is_transaction
        self.total = RequestTotals()
        """The seconds that are over."""
        self.blocks = TimeBlocks()
        """Their times by block of time, of which intervals are made."""
        self.failed: Counter[int] = Counter()
        """Service times of the failures, by bucket of a histogram."""
        self.slow = SlowestRequests()
        self.has_headerless = False
        """A good response had no header, so it does not say whether it is partial."""
        self.retried = 0
        self.windows = SecondSeries()
        """Sums of the seconds that are over and had requests, rolled up when many."""
        self._second = RequestTotals(is_transaction=is_transaction)
        self.samples: dict[str, str] = {}
        """A message of each kind of failure."""
        self.times: list[int] = []
        """Service times in µs of the batch being filled; the hot path appends here."""
        self.sizes: list[int] = []
        """Bytes of its responses."""

    def flush_second(self, number: int) -> RequestTotals | None:
        """Move the current second, which is the given one of the step run, into the totals."""
        self.count_batch()
        done = self._second
        if not done.requests:
            return None
        done.failures = done.kinds.total()
        # A new one, as the thread of Locust reads the old one from now on.
        self._second = RequestTotals(is_transaction=self.is_transaction)
        self.total.add(done)
        sums = (done.requests, done.failures, done.sum_microseconds, done.max_microseconds)
        self.windows.append(SecondSums(number, *sums))
        self.blocks.add(number, done.buckets, done.sum_microseconds)
        return done

    def record_failure(self, failure: RequestFailure, microseconds: int) -> None:
        """Count a failure, or a remark on a good response."""
        if not is_failure(failure):
            self._second.empty_results += failure is not NO_HEADER
            self.has_headerless |= failure is not EMPTY_RESULT
            return
        self._second.kinds[failure.kind] += 1
        self.failed[bucket_of(microseconds)] += 1
        self.samples.setdefault(failure.kind, failure.message)

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


def failure_kinds(counts: Mapping[str, int], samples: Mapping[str, str]) -> list[FailureKind]:
    """Return the kinds of failure, the most frequent first."""
    # By name among equals: two runs with the same failures shall have the same document.
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FailureKind(kind=kind, count=n, sample=samples[kind]) for kind, n in ordered]


_SHIFT = 4
_RECENT_BUCKETS = (BUCKETS >> _SHIFT) + 1
_BUCKET, _COUNT = np.dtype("<u2"), np.dtype("<u4")
_ENTRY_BYTES = _BUCKET.itemsize + _COUNT.itemsize


class RecentRequests(NamedTuple):
    """Requests that ended since the report before, on one worker."""

    requests: int = 0
    failures: int = 0
    times: bytes = b""
    """Counts by bucket, as `pack_times` writes them: of service times, in an open loop of response
    times, which its ramp has none of."""


def pack_times(buckets: Mapping[int, int]) -> bytes:
    """Return the counts of `bucket_of` as bytes: the buckets in use, then their counts."""
    if not buckets:
        return b""
    places = np.fromiter(buckets.keys(), np.int64, len(buckets)) >> _SHIFT
    counts = np.bincount(places, np.fromiter(buckets.values(), np.int64, len(buckets)))
    used = np.flatnonzero(counts)
    return used.astype(_BUCKET).tobytes() + counts[used].astype(_COUNT).tobytes()


def sum_times(packed: Iterable[bytes]) -> NDArray[np.int64]:
    """Return the counts of all reports by bucket of `pack_times`."""
    parts = [(each, len(each) // _ENTRY_BYTES) for each in packed if each]
    if not parts:
        return np.zeros(_RECENT_BUCKETS, np.int64)
    places = [np.frombuffer(each, _BUCKET, size) for each, size in parts]
    counts = [np.frombuffer(each, _COUNT, size, size * _BUCKET.itemsize) for each, size in parts]
    # One call for all reports of all workers: a loop would hold up their messages.
    merged = np.bincount(np.concatenate(places), np.concatenate(counts), _RECENT_BUCKETS)
    return merged.astype(np.int64)


def histogram_of(counts: NDArray[np.int64]) -> Histogram:
    """Return counts as a histogram; a time is the highest of its bucket, so it is never too low."""
    used = np.flatnonzero(counts)
    histogram = Histogram()
    for bucket, count in zip(used.tolist(), counts[used].tolist(), strict=True):
        histogram.record(lowest_of((bucket + 1) << _SHIFT) - 1, count)
    return histogram
