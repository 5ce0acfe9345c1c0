import base64
import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.stats.histograms import HIGHEST_MICROSECONDS, buckets_of
from solrbench.stats.time_blocks import COARSE_BUCKETS, MAX_BLOCKS, TimeBlocks, coarse_bucket_of

TIMES = st.integers(-1, HIGHEST_MICROSECONDS + 1)


def blocks_of(*seconds: tuple[int, list[int]]) -> TimeBlocks:
    """Return the blocks of (second, times that ended in it)."""
    blocks = TimeBlocks()
    for second, times in seconds:
        blocks.add(second, Counter(buckets_of(times)), sum(times))
    return blocks


def totals(blocks: TimeBlocks) -> list[int]:
    return [int(each) for each in blocks.counts.sum(axis=1)]


def coarse_lowest_of(bucket: int) -> int:
    """Return the smallest value that falls into a coarse bucket."""
    shift = max((bucket >> 5) - 1, 0)
    return (bucket - (shift << 5)) << shift


@given(TIMES)
def test_a_coarse_bucket_holds_its_values_within_some_per_cent(value: int) -> None:
    kept = min(max(value, 0), HIGHEST_MICROSECONDS)
    bucket = coarse_bucket_of(value)
    assert coarse_lowest_of(bucket) <= kept < coarse_lowest_of(bucket + 1)
    assert coarse_lowest_of(bucket + 1) - coarse_lowest_of(bucket) <= max(kept / 32, 1)


def test_times_are_counted_in_the_block_and_bucket_they_belong_to() -> None:
    blocks = blocks_of((0, [5, 5, 70_000]), (2, [9]))
    assert (totals(blocks), blocks.sums, blocks.seconds) == ([3, 0, 1], [70_010, 0, 9], 1)
    assert blocks.counts[0, 5] == 2
    assert blocks.counts[0, coarse_bucket_of(70_000)] == 1


def test_a_step_of_any_length_has_30_to_60_blocks() -> None:
    blocks = blocks_of(*((second, [second]) for second in range(1000)))
    assert blocks.seconds == 32
    assert MAX_BLOCKS / 2 <= len(blocks.sums) <= MAX_BLOCKS
    assert totals(blocks)[:-1] == [32] * (len(blocks.sums) - 1)
    assert sum(blocks.sums) == sum(range(1000))


def test_a_name_that_comes_late_goes_to_the_block_of_its_time() -> None:
    assert totals(blocks_of((130, [7])))[130 // 4] == 1


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 300), st.lists(TIMES, min_size=1, max_size=5)), max_size=20)
)
def test_workers_add_up_to_the_blocks_of_all(parts: list[tuple[int, list[int]]]) -> None:
    whole = blocks_of(*parts)
    merged = TimeBlocks.merged([blocks_of(*parts[0::2]), blocks_of(*parts[1::2])])
    assert merged.encode() == whole.encode()
    assert TimeBlocks.decode(whole.encode()).encode() == whole.encode()


def test_merging_leaves_the_parts_as_they_were() -> None:
    short = blocks_of((1, [10]))
    TimeBlocks.merged([short, blocks_of((100, [10]))])
    assert (short.seconds, totals(short)) == (1, [0, 1])


def test_nothing_is_stored_as_nothing() -> None:
    assert TimeBlocks().encode() == ""
    assert TimeBlocks.decode("").sums == []


def test_a_busy_step_of_five_minutes_is_stored_in_less_than_ten_kilobytes() -> None:
    draw, blocks = np.random.default_rng(4), TimeBlocks()
    for second in range(300):
        times = np.exp(draw.normal(8.3, 0.6, 1000)).astype(int).tolist()
        blocks.add(second, Counter(buckets_of(times)), sum(times))
    assert len(blocks.encode()) < 10_000


def stored(*numbers: int) -> str:
    planes = np.array(numbers, dtype="<i8").view(np.uint8).reshape(-1, 8).T
    return base64.b64encode(zlib.compress(planes.tobytes())).decode()


@pytest.mark.parametrize(
    "text",
    [
        "no base64!",
        base64.b64encode(b"not compressed").decode(),
        stored(1),
        stored(2, 1, 1, 0, 5, 1),  # another version
        stored(1, 0, 1, 0, 5, 1),  # blocks of no length
        stored(1, 1, MAX_BLOCKS + 1, 0, *[1] * 2 * (MAX_BLOCKS + 1)),
        stored(1, 1, 2, 0, 5, 5, 1, 1, 1),  # no rectangle
        stored(1, 1, 1, COARSE_BUCKETS, 5, 1),
        stored(1, 1, 1, 0, 5, -1),
        stored(1, 1, 1, 0, 5, 2**40),
    ],
)
def test_what_is_no_stored_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="blocks of a step run"):
        TimeBlocks.decode(text)


def test_what_grows_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="blocks of a step run"):
        TimeBlocks.decode(base64.b64encode(zlib.compress(bytes(10**8))).decode())
