"""Times of a step run by the block of time in which they ended: what intervals are computed from.

Requests that follow each other are alike: a stall makes many of them slow at once. How much that
takes from what they are worth is seen by how blocks of time differ. So each block has a coarse
histogram of its own. There are 30 to 60 blocks of equal length: when 60 seconds are full,
neighbours are added and blocks are twice as long, so a step run of any length has as many.

Buckets are 1 µs wide below 64 µs, and 1.6 to 3.1 % of the value above. Blocks of several workers,
request names or repeats have the same buckets and begin at the same moment, so they are added.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from solrbench.contract.second_series import decode_planes, encode_planes
from solrbench.stats.histograms import BUCKETS, HIGHEST_MICROSECONDS, lowest_of, narrowed

MAX_BLOCKS = 60
"""Blocks of a step run, the most."""

_BITS = 5
"""Every power of two has 2 ** 5 buckets."""

_VERSION = 1
_HEADER = 4
"""Whole numbers before the counts: version, seconds of a block, blocks, first bucket."""

_MAX_SECONDS = 2**20
"""Length of a block that no step run reaches."""

Counts = NDArray[np.int32]


def coarse_bucket_of(microseconds: int) -> int:
    """Return the coarse bucket of a value; values outside the range count as its bound."""
    value = min(max(microseconds, 0), HIGHEST_MICROSECONDS)
    shift = max(value.bit_length() - _BITS - 1, 0)
    return (shift << _BITS) + (value >> shift)


COARSE_BUCKETS = coarse_bucket_of(HIGHEST_MICROSECONDS) + 1

_WHAT = "the blocks of a step run"
_MAX_BYTES = 8 * (_HEADER + MAX_BLOCKS * (COARSE_BUCKETS + 1))
"""What the largest stored form takes."""


@cache
def _coarse_buckets() -> NDArray[np.int64]:
    return np.array([coarse_bucket_of(lowest_of(index)) for index in range(BUCKETS)])


def _coarse(buckets: NDArray[np.int64], weights: NDArray[np.int64] | None = None) -> Counts:
    """Return the counts by coarse bucket; exact, for weights are added as 64-bit floats."""
    counts = np.bincount(_coarse_buckets()[buckets], weights, COARSE_BUCKETS)
    return counts.astype(np.int32)


class TimeBlocks:
    """The times of one request name, or of several, by block of time.

    Attributes:
        seconds: length of a block
        first: the coarse bucket of the first column
        counts: a row for each block that has begun, a column for each coarse bucket; what was
            stored has no columns beyond the times that occurred, which are a fifth of all
        sums: the exact sum of the times in each block, in µs
        sending_seconds: for how long requests were begun, where that is known; what ended later
            was under way then (the drain)
    """

    def __init__(self, first: int = 0, columns: int = COARSE_BUCKETS) -> None:
        """Begin without blocks, with the columns of so many coarse buckets from `first` on."""
        self.seconds = 1
        self.first = first
        self.counts: Counts = np.zeros((0, columns), dtype=np.int32)
        self.sums: list[int] = []
        self.sending_seconds = math.inf

    @property
    def requests(self) -> NDArray[np.float64]:
        """The number of times in each block."""
        requests: NDArray[np.float64] = self.counts.sum(axis=1, dtype=float)
        return requests

    def requests_beyond(self, bucket: int) -> NDArray[np.float64]:
        """Return the number of times in each block that are above a coarse bucket."""
        column = max(bucket + 1 - self.first, 0)
        beyond: NDArray[np.float64] = self.counts[:, column:].sum(axis=1, dtype=float)
        return beyond

    def requests_by_bucket(self) -> NDArray[np.int64]:
        """Return the number of times in each coarse bucket, over all blocks."""
        requests = np.zeros(COARSE_BUCKETS, dtype=np.int64)
        requests[self.first : self.end] = self.counts.sum(axis=0, dtype=np.int64)
        return requests

    @property
    def size_bytes(self) -> int:
        """About what they take in memory."""
        return self.counts.nbytes + 32 * len(self.sums)

    @property
    def end(self) -> int:
        """The coarse bucket after that of the last column."""
        return self.first + len(self.counts[:0].T)

    def add(self, second: int, counts: Mapping[int, int], sum_microseconds: int) -> None:
        """Count times that ended in a second of the step run, given by buckets of `Histogram`."""
        buckets = np.fromiter(counts.keys(), np.int64, len(counts))
        weights = np.fromiter(counts.values(), np.int64, len(counts))
        self._add(second, _coarse(buckets, weights), sum_microseconds)

    def add_each(self, second: int, buckets: Sequence[int], sum_microseconds: int) -> None:
        """Count the times behind `buckets`, one each."""
        self._add(second, _coarse(np.array(buckets, dtype=np.int64)), sum_microseconds)

    def _add(self, second: int, counts: Counts, sum_microseconds: int) -> None:
        while second // self.seconds >= MAX_BLOCKS:
            self.double()
        block = second // self.seconds
        self._begin(block + 1)
        self.counts[block] += counts
        self.sums[block] += sum_microseconds

    @classmethod
    def merged(cls, parts: Iterable[Self]) -> Self:
        """Return the blocks of all parts, as long as the longest of them, to be read only."""
        known = [each for each in parts if each.sums]
        if len(known) == 1:
            return known[0]
        first = min((each.first for each in known), default=0)
        end = max((each.end for each in known), default=COARSE_BUCKETS)
        total = cls(first, end - first)
        total.seconds = max((each.seconds for each in known), default=1)
        total.sending_seconds = min((each.sending_seconds for each in known), default=math.inf)
        for part in known:
            own = cls(part.first)  # parts stay as they are
            own.seconds, own.sums = part.seconds, [*part.sums]
            own.counts = part.counts.astype(np.int32)
            while own.seconds < total.seconds:
                own.double()
            total._begin(len(own.sums))
            columns = slice(own.first - first, own.end - first)
            total.counts[: len(own.sums), columns] += own.counts
            for block, total_microseconds in enumerate(own.sums):
                total.sums[block] += total_microseconds
        total.counts = narrowed(total.counts)
        return total

    def double(self) -> None:
        """Make blocks twice as long: neighbours are added."""
        self._begin(len(self.sums) + len(self.sums) % 2)
        self.counts = self.counts[0::2] + self.counts[1::2]
        self.sums = [a + b for a, b in zip(self.sums[0::2], self.sums[1::2], strict=True)]
        self.seconds *= 2

    def encode(self) -> str:
        """Return the stored form; empty without blocks."""
        if not self.sums:
            return ""
        # Counts stand block by block, from the first bucket to the last one that has any.
        used = np.flatnonzero(self.counts.any(axis=0))
        first, last = (int(used[0]), int(used[-1])) if used.size else (0, 0)
        begin = self.first + first
        header = np.array([_VERSION, self.seconds, len(self.sums), begin], dtype="<i8")
        sums = np.array(self.sums, dtype="<i8")
        counts = self.counts[:, first : last + 1].astype("<i8").ravel()
        return encode_planes(np.concatenate([header, sums, counts]))

    @classmethod
    def decode(cls, stored: str) -> Self:
        """Return the blocks behind a stored form, to be read only; ValueError if it is none."""
        if not stored:
            return cls()
        numbers = decode_planes(stored, _MAX_BYTES, _WHAT)
        if len(numbers) < _HEADER:
            raise ValueError(f"not {_WHAT}: cut off")
        version, seconds, rows, first = (int(each) for each in numbers[:_HEADER])
        if version != _VERSION or not 0 < seconds <= _MAX_SECONDS or not 0 < rows <= MAX_BLOCKS:
            raise ValueError(f"not {_WHAT}")
        sums, counts = np.split(numbers[_HEADER:], [rows])
        columns, rest = divmod(len(counts), rows)
        if rest or columns < 1 or first < 0 or first + columns > COARSE_BUCKETS:
            raise ValueError("blocks of a step run have another size")
        if counts.min() < 0 or counts.max() > np.iinfo(np.int32).max:
            raise ValueError("blocks of a step run have impossible counts")
        blocks = cls(first)
        blocks.seconds = seconds
        blocks.sums = sums.tolist()
        blocks.counts = narrowed(counts.reshape(rows, columns))
        return blocks

    def _begin(self, blocks: int) -> None:
        missing = blocks - len(self.sums)
        if missing > 0:
            rows = np.zeros((missing, self.counts.shape[1]), dtype=np.int32)
            self.counts = np.concatenate([self.counts, rows])
            self.sums += [0] * missing
