"""Latency histograms that merge exactly.

A histogram counts whole microseconds from 1 µs to 1 h with three significant digits, so every
value is known to 0.1 %. Two histograms of this kind merge by adding counts: the percentiles of
the sum are those of all the samples, which no average of percentiles is. The stored form is
HdrHistogram V2, compressed, base64 (https://github.com/HdrHistogram/HdrHistogram), which other
tools read too.
"""

import base64
import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from ctypes import addressof
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pyhdrh
from hdrh import histogram as hdrh
from hdrh.codec import V2_COMPRESSION_COOKIE_BASE, V2_ENCODING_COOKIE_BASE
from numpy.typing import NDArray

HIGHEST_MICROSECONDS = 3_600_000_000
_LAYOUT = 1, HIGHEST_MICROSECONDS, 3
"""Lowest and highest value in µs, and significant digits."""

_HdrHistogram: Any = hdrh.HdrHistogram  # the package has no types

SUB_BUCKET_BITS = 11
"""Values below 2 ** 11 have a bucket each; above, every power of two has 2 ** 10 buckets."""


def bucket_of(microseconds: int) -> int:
    """Return the place of a value among the counts; outside of the range that of its bound."""
    value = min(max(microseconds, 0), HIGHEST_MICROSECONDS)
    shift = max(value.bit_length() - SUB_BUCKET_BITS, 0)
    return (shift << (SUB_BUCKET_BITS - 1)) + (value >> shift)


def buckets_of(microseconds: Sequence[int]) -> list[int]:
    """Return `bucket_of` every value, at a fraction of the cost of a call for each."""
    if not microseconds:
        return []
    if min(microseconds) < 0 or max(microseconds) > HIGHEST_MICROSECONDS:
        return [bucket_of(value) for value in microseconds]
    return [
        value
        if (shift := value.bit_length() - SUB_BUCKET_BITS) <= 0
        else (shift << (SUB_BUCKET_BITS - 1)) + (value >> shift)
        for value in microseconds
    ]


def lowest_of(bucket: int) -> int:
    """Return the smallest value in µs that falls into `bucket`."""
    shift = max((bucket >> (SUB_BUCKET_BITS - 1)) - 1, 0)
    return (bucket - (shift << (SUB_BUCKET_BITS - 1))) << shift


BUCKETS = bucket_of(HIGHEST_MICROSECONDS) + 1
"""Buckets of a histogram."""

Places = NDArray[np.int32] | NDArray[np.int64]
Counts = NDArray[Any]


def narrowed(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in the smallest whole numbers that hold them; they must not be added to."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


class BucketCounts:
    """Counts of service or response times, to be read: the buckets that have any.

    It takes a fiftieth of the memory of a `Histogram`, whose buckets are nearly all empty.
    """

    def __init__(self, buckets: Places, counts: Counts) -> None:
        """Take the buckets that have counts, ascending, and how many each has."""
        self.buckets = buckets
        self.counts = counts

    @classmethod
    def merged(cls, parts: Iterable["BucketCounts"]) -> "BucketCounts":
        """Return the counts of all samples of `parts`; those of a single one are itself."""
        known = [part for part in parts if part.count]
        if len(known) == 1:
            return known[0]
        total = np.zeros(BUCKETS, dtype=np.uint64)
        for part in known:
            total[part.buckets] += part.counts
        buckets = np.flatnonzero(total)
        return cls(buckets.astype(np.int32), narrowed(total[buckets]))

    @property
    def count(self) -> int:
        """Samples recorded."""
        return int(self.counts.sum())

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.buckets.nbytes + self.counts.nbytes

    def percentile(self, percent: float) -> int | None:
        """Return the value in µs that `percent` % of the samples do not exceed; None without any.

        It is the highest value equivalent to the sample of the nearest rank within three digits, as
        in the Java reference implementation, so it is never too low.
        """
        if not 0 < percent <= 100:
            raise ValueError(f"percent must be above 0 and at most 100, not {percent}")
        if not self.count:
            return None
        # The nearest rank, ceil(p * n / 100), of the decimals as written: as a binary fraction,
        # 99.9 % of 1000 may be a little more than 999.
        rank = math.ceil(Fraction(str(percent)) * self.count / 100)
        return self.bounds_of_rank(rank)[1]

    def bounds_of_rank(self, rank: int) -> tuple[int, int]:
        """Return the lowest and the highest value in µs that the sample of a rank may have had.

        Rank 1 is the smallest sample; ranks outside of the samples are those of the nearest one.
        """
        if not self.count:
            raise ValueError("a histogram without samples has no ranks")
        rank = min(max(rank, 1), self.count)
        bucket = int(self.buckets[np.searchsorted(np.cumsum(self.counts), rank)])
        return lowest_of(bucket), lowest_of(bucket + 1) - 1

    @property
    def deviation_microseconds(self) -> float:
        """Standard deviation of all samples in µs; 0 without any."""
        buckets, counts = self.buckets.astype(np.int64), self.counts
        if not buckets.size:
            return 0.0
        shifts = np.maximum((buckets >> (SUB_BUCKET_BITS - 1)) - 1, 0)
        values = ((buckets - (shifts << (SUB_BUCKET_BITS - 1))) << shifts).astype(float)
        mean = np.average(values, weights=counts)
        return float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))

    def count_above(self, microseconds: int) -> int:
        """Return how many samples are longer than a value, as far as its bucket shows."""
        return int(self.counts[self.buckets > bucket_of(microseconds)].sum())


class Histogram(BucketCounts):
    """Counts of service or response times that are recorded one by one."""

    def __init__(self, stored: Any = None) -> None:
        self._hdr = stored or _HdrHistogram(*_LAYOUT)

    @classmethod
    def from_buckets(cls, counts: Mapping[int, int]) -> Self:
        """Return the histogram of counts kept by `bucket_of`."""
        histogram = cls()
        for bucket, count in counts.items():
            histogram.record(lowest_of(bucket), count)
        return histogram

    @property
    def count(self) -> int:
        """Samples recorded."""
        return int(self._hdr.get_total_count())

    @property
    def buckets(self) -> Places:  # type: ignore[override]  # read from what records
        """The buckets that have samples, ascending."""
        return np.flatnonzero(np.frombuffer(self._hdr.counts, dtype=np.uint64))

    @property
    def counts(self) -> Counts:  # type: ignore[override]  # as buckets
        """How many samples each of them has."""
        counts = np.frombuffer(self._hdr.counts, dtype=np.uint64)
        return counts[np.flatnonzero(counts)]

    def record(self, microseconds: int, count: int = 1) -> None:
        """Count a value `count` times; values outside the range count as its nearest bound."""
        self._hdr.record_value(min(max(microseconds, 0), HIGHEST_MICROSECONDS), count)

    def add(self, other: "Histogram") -> None:
        """Count everything that `other` has counted."""
        if other.count:
            self._hdr.add(other._hdr)  # noqa: SLF001

    def encode(self) -> str:
        """Return the stored form."""
        text: bytes = self._hdr.encode()
        return text.decode()


_COMPRESSED, _ENCODED = V2_COMPRESSION_COOKIE_BASE | 0x10, V2_ENCODING_COOKIE_BASE | 0x10
"""Cookies of the two forms; the bit stands for counts of any length."""

_FRAME = struct.Struct(">II")
"""Cookie and length of the compressed part, before it."""

_HEADER = struct.Struct(">4I2Qd")
"""Cookie, length, offset, digits, lowest and highest value and a factor, at its begin."""

_MAX_BYTES = _HEADER.size + 9 * BUCKETS
"""What it may have: a count takes up to 9 bytes."""

_MAX_COUNT = 2**53
"""Samples of a histogram; of all that are merged, counts fit into 64 bits."""


def _unpack(encoded: str) -> bytes:
    """Return header and counts of a stored form, no more than this layout may have.

    A kilobyte of others may unpack to a gigabyte.
    """
    packed = base64.b64decode(encoded)
    frame, reader = _FRAME.unpack_from(packed), zlib.decompressobj()
    unpacked = reader.decompress(packed[_FRAME.size :], _MAX_BYTES)
    cookie, _, _, digits, lowest, highest, _ = _HEADER.unpack_from(unpacked)
    if frame != (_COMPRESSED, len(packed) - _FRAME.size) or not reader.eof:
        raise ValueError("cut off, too long, or of another version")
    layout = lowest, highest, digits
    # Buckets are added one by one, which with another layout would be those of other values.
    if (cookie, *layout) != (_ENCODED, *_LAYOUT):
        raise ValueError(f"it has another range or precision: {layout}")
    return unpacked


def decode(encoded: str) -> Histogram:
    """Return the histogram of a stored form; ValueError if it is none of this layout."""
    stored = _HdrHistogram(*_LAYOUT)
    place = addressof(stored.counts)
    try:
        unpacked = _unpack(encoded)
        found = pyhdrh.decode(unpacked, _HEADER.size, place, BUCKETS, stored.word_size)
    except (zlib.error, struct.error, ValueError, ArithmeticError, IndexError) as error:
        raise ValueError(f"not an HdrHistogram in V2 compressed form: {error}") from error
    # The sum that the library returns has 32 bits.
    total = np.frombuffer(stored.counts, np.uint64).sum(dtype=float)
    if total > _MAX_COUNT:
        raise ValueError(f"not an HdrHistogram of a step run: {total:.0f} samples")
    if total:
        ends = found["min_nonzero_index"], found["max_nonzero_index"]
        stored.set_internal_tacking_values(*ends, int(total))
    return Histogram(stored)


def read(encoded: str) -> BucketCounts:
    """Return the counts behind a stored form, to be read and merged; ValueError as `decode`."""
    decoded = decode(encoded)
    return BucketCounts(decoded.buckets.astype(np.int32), narrowed(decoded.counts))


def merge(encoded: Iterable[str]) -> Histogram:
    """Return the histogram of all samples behind the stored forms; empty for none."""
    merged = Histogram()
    for each in encoded:
        merged.add(decode(each))
    return merged
