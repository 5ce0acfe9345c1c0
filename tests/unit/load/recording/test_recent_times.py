"""Times of the last second: what is sent is small, and merges as histograms do."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.load.recording.recent_times import pack_times, percentiles_of
from solrbench.results.stats.histograms import HIGHEST_MICROSECONDS, Histogram, buckets_of

TIMES = st.lists(st.integers(1, HIGHEST_MICROSECONDS), min_size=1, max_size=50)


def test_nothing_is_packed_into_nothing() -> None:
    assert pack_times({}) == b""
    assert percentiles_of([], (50, 99)) == (None, None)
    assert percentiles_of([b""], (50,)) == (None,)


def test_packed_times_are_bounded_whatever_the_number_of_requests() -> None:
    times = Counter(buckets_of(range(1, HIGHEST_MICROSECONDS, 997_331)))
    assert len(pack_times(dict.fromkeys(times, 2**16))) == len(pack_times(times)) < 10_000


@settings(max_examples=30)
@given(st.lists(TIMES, min_size=1, max_size=4), st.sampled_from([50.0, 95.0, 99.0]))
def test_percentile_of_workers_is_that_of_all_their_times(
    workers: list[list[int]], percent: float
) -> None:
    exact = Histogram.from_buckets(Counter(b for times in workers for b in buckets_of(times)))
    expected = (exact.percentile(percent) or 0) / 1000
    (found,) = percentiles_of([pack_times(Counter(buckets_of(t))) for t in workers], (percent,))
    assert found is not None
    assert expected <= found <= expected * 1.016 + 0.016
