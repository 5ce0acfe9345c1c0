"""Times that are expensive to decode, and the numbers of them, which are kept.

Each number is read once, however many ask for it. The times themselves are kept only while
`MAX_DECODED_BYTES` holds them, so memory does not follow the size of a result.
"""

from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, TypeVar
from weakref import ReferenceType, ref

from solrbench.stats.distributions import ConfidenceBounds
from solrbench.stats.histograms import BucketCounts
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.time_blocks import TimeBlocks

MAX_DECODED_BYTES = 64 << 20
"""What all decoded times of the process take at most, beside those of the request name that is read
at the moment: an eighth of the memory limit of the chart. Of a result with more of them, some are
decoded again."""

T = TypeVar("T")


class DecodedTimes:
    """Which times are decoded at the moment: those that were decoded first are forgotten first.

    Reconciles of several threads share it, so only operations that are atomic touch the queue.
    """

    def __init__(self, max_bytes: int = MAX_DECODED_BYTES) -> None:
        self._max_bytes = max_bytes
        # What nothing else refers to any more is freed at once, as in a process of the load.
        self._queue: deque[tuple[ReferenceType[Times], int]] = deque()
        self.size_bytes = 0

    def add(self, times: "Times", size_bytes: int) -> None:
        """Note that times were decoded; forget those that are gone, and others if all take much."""
        self._queue.append((ref(times), size_bytes))
        self.size_bytes += size_bytes
        with suppress(IndexError):  # another thread may have forgotten all meanwhile
            while self._queue[0][0]() is None or self._is_full:
                self._forget_oldest()

    @property
    def _is_full(self) -> bool:
        return self.size_bytes > self._max_bytes and len(self._queue) > 1

    def forget_all(self) -> None:
        """Free the memory of all decoded times; the numbers that were read from them stay."""
        with suppress(IndexError):
            while True:
                self._forget_oldest()
        self.size_bytes = 0

    def _forget_oldest(self) -> None:
        reference, freed = self._queue.popleft()
        oldest = reference()
        if oldest is not None:
            oldest.forget()
        self.size_bytes -= freed


DECODED = DecodedTimes()
"""Those of the process."""


class Times:
    """Service or response times of some requests, decoded when a number of them is asked for."""

    def __init__(
        self,
        decode: Callable[[], tuple[BucketCounts, list[TimeBlocks]]],
        sum_microseconds: int,
        max_microseconds: int | None,
    ) -> None:
        """Take what all know of the times, and how they are decoded or merged from others."""
        self._decode = decode
        self.sum_microseconds = sum_microseconds
        self.max_microseconds = max_microseconds
        self._samples: TimedSamples | None = None
        self._numbers: dict[Hashable, Any] = {}

    @property
    def samples(self) -> TimedSamples:
        """The times as they are decoded."""
        samples = self._samples
        if samples is None:
            samples = self._samples = TimedSamples(
                *self._decode(), self.sum_microseconds, self.max_microseconds
            )
            blocks = sum(repeat.size_bytes for repeat in samples.repeats)
            DECODED.add(self, samples.histogram.size_bytes + blocks)
        return samples

    def forget(self) -> None:
        """Free the memory of the times; the numbers that were read from them stay."""
        self._samples = None

    @property
    def count(self) -> int:
        """How many there are."""
        return self.number("count", lambda samples: samples.histogram.count)

    @property
    def average(self) -> float | None:
        """The mean in µs; None without any."""
        return self.sum_microseconds / self.count if self.count else None

    def bucket_percentile(self, percent: float) -> int | None:
        """Return the upper bound in µs of the bucket of a percentile; None without any."""
        key = ("percentile", percent)
        return self.number(key, lambda samples: samples.histogram.percentile(percent))

    def percentile(self, percent: float) -> int | None:
        """Return a percentile in µs; rounding up within its bucket never passes the maximum."""
        value, highest = self.bucket_percentile(percent), self.max_microseconds
        return value if value is None or highest is None else min(value, highest)

    def percentile_interval(self, percent: float) -> ConfidenceBounds | None:
        """Return the interval of a percentile in µs; None if the step was too short for it."""
        return self.number(("interval", percent), lambda each: each.percentile_interval(percent))

    def mean_interval(self) -> ConfidenceBounds | None:
        """Return the interval of the mean in µs; None if the step was too short for it."""
        return self.number("mean interval", TimedSamples.mean_interval)

    def rate_error(self) -> float | None:
        """Return the half-width of the rate's interval as a share of the rate, as the samples."""
        return self.number("rate error", TimedSamples.rate_error)

    def within(self, microseconds: int) -> int:
        """Return how many are not longer than a time, as far as its bucket shows."""
        return self.number(
            ("within", microseconds),
            lambda samples: samples.histogram.count - samples.histogram.count_above(microseconds),
        )

    def number(self, key: Hashable, read: Callable[[TimedSamples], T]) -> T:
        """Return what `read` finds in the samples, which is read once for each key."""
        numbers = self._numbers
        if key not in numbers:
            numbers[key] = read(self.samples)
        found: T = numbers[key]
        return found
