"""Times of the last second, small enough for every worker to send them to the master each second.

The buckets are those of a histogram, 16 of them as one: a time is known to 1.6 %, below 2 ms to
16 µs. That is enough for a live view; results are made of the whole histograms.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.results.stats.histograms import BUCKETS, Histogram, lowest_of

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


def add_times(counts: NDArray[np.int64], packed: bytes) -> None:
    """Add the counts of a report to those of `no_times`."""
    size = len(packed) // _ENTRY_BYTES
    places = np.frombuffer(packed, _BUCKET, size)
    counts[places] += np.frombuffer(packed, _COUNT, size, size * _BUCKET.itemsize)


def no_times() -> NDArray[np.int64]:
    """Return the counts of no report."""
    return np.zeros(_RECENT_BUCKETS, np.int64)


def histogram_of(counts: NDArray[np.int64]) -> Histogram:
    """Return counts as a histogram; a time is the highest of its bucket, so it is never too low."""
    used = np.flatnonzero(counts)
    histogram = Histogram()
    for bucket, count in zip(used.tolist(), counts[used].tolist(), strict=True):
        histogram.record(lowest_of((bucket + 1) << _SHIFT) - 1, count)
    return histogram


def percentiles_of(packed: Iterable[bytes], percents: Iterable[float]) -> tuple[float | None, ...]:
    """Return percentiles in milliseconds over the merged counts; None without any.

    Each is the highest time of the bucket of the nearest rank, so it is never too low.
    """
    parts = [each for each in packed if each]
    percents = tuple(percents)
    if not parts:
        return (None,) * len(percents)
    sizes = [len(each) // _ENTRY_BYTES for each in parts]
    places = [np.frombuffer(each, _BUCKET, size) for each, size in zip(parts, sizes, strict=True)]
    counts = [
        np.frombuffer(each, _COUNT, size, size * _BUCKET.itemsize)
        for each, size in zip(parts, sizes, strict=True)
    ]
    merged = np.bincount(np.concatenate(places), np.concatenate(counts), _RECENT_BUCKETS)
    up_to = np.cumsum(merged)
    ranks = np.ceil(np.array(percents) * up_to[-1] / 100 - 1e-9)
    return tuple(
        (lowest_of((int(bucket) + 1) << _SHIFT) - 1) / 1000
        for bucket in np.searchsorted(up_to, ranks)
    )
