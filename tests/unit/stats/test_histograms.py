import random
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from itertools import chain

import pytest

from solrbench.stats.histograms import (
    BUCKETS,
    HIGHEST_MICROSECONDS,
    Histogram,
    bucket_of,
    buckets_of,
    decode,
    lowest_of,
    merge,
)
from support.results.builders import ReferenceHistogram
from support.servers.hostile_documents import pack_histogram

PERCENTS = (1, 25, 50, 75, 90, 95, 99, 99.9, 100)


def samples(seed: int, count: int) -> list[int]:
    rng = random.Random(seed)
    return [int(rng.lognormvariate(9, 1.5)) for _ in range(count)]


def histogram_of(values: Iterable[int]) -> Histogram:
    histogram = Histogram()
    for value in values:
        histogram.record(value)
    return histogram


def test_four_workers_merge_to_the_histogram_of_all_samples() -> None:
    parts = [samples(seed, 5_000 + 100 * seed) for seed in range(4)]
    merged = merge(histogram_of(part).encode() for part in parts)
    whole = histogram_of(chain.from_iterable(parts))
    assert merged.encode() == whole.encode()
    assert merged.count == sum(map(len, parts))
    assert [merged.percentile(p) for p in PERCENTS] == [whole.percentile(p) for p in PERCENTS]


def test_percentiles_are_those_of_the_reference_implementation() -> None:
    values = samples(7, 3_000)
    reference = ReferenceHistogram(1, HIGHEST_MICROSECONDS, 3)
    for value in values:
        reference.record_value(value)
    ours = histogram_of(values)
    for percent in PERCENTS:
        assert ours.percentile(percent) == reference.get_value_at_percentile(percent)


@pytest.mark.parametrize(
    "value", [0, 1, 2, 2047, 2048, 2049, 4095, 4096, 123_456, 9_999_999, HIGHEST_MICROSECONDS]
)
def test_buckets_are_laid_out_as_in_hdrhistogram(value: int) -> None:
    reference = ReferenceHistogram(1, HIGHEST_MICROSECONDS, 3)
    assert bucket_of(value) == reference._counts_index_for(value)
    assert lowest_of(bucket_of(value)) == reference.get_lowest_equivalent_value(value)


def test_values_outside_the_range_count_at_its_bound() -> None:
    histogram = histogram_of([HIGHEST_MICROSECONDS * 5])
    assert histogram.count == 1
    assert bucket_of(HIGHEST_MICROSECONDS * 5) == bucket_of(HIGHEST_MICROSECONDS)
    assert bucket_of(-3) == 0


def test_histogram_from_buckets_equals_histogram_of_values() -> None:
    values = samples(11, 2_000)
    from_buckets = Histogram.from_buckets(Counter(map(bucket_of, values)))
    whole = histogram_of(values)
    assert from_buckets.count == len(values)
    assert [from_buckets.percentile(p) for p in PERCENTS] == [whole.percentile(p) for p in PERCENTS]


def test_empty_histograms_have_no_percentile_and_merge() -> None:
    assert merge([]).percentile(95) is None
    assert merge([Histogram().encode(), Histogram().encode()]).percentile(50) is None
    assert merge([Histogram().encode(), histogram_of([70]).encode()]).percentile(50) == 70


@pytest.mark.parametrize("percent", [0, -1, 100.1, float("nan")])
def test_percent_outside_its_range_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="percent must be above 0"):
        histogram_of([1]).percentile(percent)


@pytest.mark.parametrize("text", ["", "nonsense", "SGVsbG8gd29ybGQ=", Histogram().encode()[:-8]])
def test_text_that_is_no_histogram_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an HdrHistogram"):
        decode(text)


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ([bytes(1 << 20)] * 2, "too long"),
        ([b"\x02" * (BUCKETS + 1)], "overrun"),
        ([b"\xff" * 100], "overflow"),
        ([b"\x80"], "decoding error"),
        ([b"\x80\x80\x80\x80\x80\x80\x80\x80\x40"] * 8, "samples"),
    ],
)
def test_counts_that_no_step_run_has_are_refused(counts: list[bytes], problem: str) -> None:
    with pytest.raises(ValueError, match=f"not an HdrHistogram .*{problem}"):
        decode(pack_histogram(counts))


def test_a_histogram_that_unpacks_to_much_is_refused_before_it_does() -> None:
    bomb = pack_histogram(bytes(1 << 20) for _ in range(16))
    tracemalloc.start()
    with pytest.raises(ValueError, match="too long"):
        decode(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_counts_beyond_32_bits_are_added() -> None:
    many = Histogram.from_buckets({70: 1 << 31, 80: 5})
    merged = merge([many.encode(), many.encode()])
    assert merged.count == 2 * ((1 << 31) + 5)
    assert merged.percentile(100) == 80


def test_histogram_of_another_precision_is_refused() -> None:
    foreign = ReferenceHistogram(1, 1_000_000, 2).encode().decode()
    with pytest.raises(ValueError, match="another range or precision"):
        decode(foreign)


def test_many_buckets_are_those_of_each_value() -> None:
    values = [0, 1, 2047, 2048, 4095, 4096, HIGHEST_MICROSECONDS, *samples(11, 2_000)]
    assert buckets_of(values) == [bucket_of(value) for value in values]
    beyond = [-5, HIGHEST_MICROSECONDS + 1, 7]
    assert buckets_of(beyond) == [bucket_of(value) for value in beyond]
    assert buckets_of([]) == []


@pytest.mark.parametrize(
    ("percent", "count", "rank"), [(95, 12, 12), (99, 160, 159), (50, 5, 3), (99.9, 1000, 999)]
)
def test_percentile_is_that_of_the_nearest_rank(percent: float, count: int, rank: int) -> None:
    assert histogram_of(range(1, count + 1)).percentile(percent) == rank


def test_samples_above_a_value_are_counted() -> None:
    histogram = histogram_of([1, 5, 5, 9, 50_000])
    assert [histogram.count_above(value) for value in (0, 1, 5, 9, 50_000)] == [5, 4, 2, 1, 0]
