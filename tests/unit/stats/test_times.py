"""Times are decoded when a number of them is asked for, and forgotten when they are too many."""

import pytest

from solrbench.stats import times
from solrbench.stats.histograms import BucketCounts, Histogram
from solrbench.stats.time_blocks import TimeBlocks
from solrbench.stats.times import DecodedTimes, Times


def counted(decoded: list[int], microseconds: int) -> Times:
    """Return a single time, and note each time that it is decoded."""

    def decode() -> tuple[BucketCounts, list[TimeBlocks]]:
        decoded.append(microseconds)
        histogram = Histogram()
        histogram.record(microseconds)
        return histogram, [TimeBlocks()]

    return Times(decode, microseconds, microseconds)


def test_numbers_are_kept_when_times_are_forgotten() -> None:
    decoded: list[int] = []
    found = counted(decoded, 5000)
    for _ in range(2):
        assert (found.percentile(95), found.average, found.within(6000)) == (5000, 5000, 1)
        found.forget()
    assert decoded == [5000]
    assert found.percentile(50) == 5000
    assert decoded == [5000, 5000]


def test_what_was_decoded_first_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    first, second = counted(decoded, 1000), counted(decoded, 2000)
    room = DecodedTimes(first.samples.histogram.size_bytes)
    monkeypatch.setattr(times, "DECODED", room)
    first.forget()
    for each in (first, second, second, first):
        assert each.samples.histogram.count == 1
    assert decoded == [1000, 1000, 2000, 1000]
    unused = counted(decoded, 3000)
    assert unused.samples.histogram.count == 1
    del unused  # what nothing else refers to is freed at once
    room.forget_all()
    assert room.size_bytes == 0
    assert first.samples.histogram.count == 1
    assert decoded[-3:] == [1000, 3000, 1000]


def test_times_that_are_gone_take_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    room = DecodedTimes()
    monkeypatch.setattr(times, "DECODED", room)
    sizes = [counted([], microseconds).samples.histogram.size_bytes for microseconds in (1, 2, 3)]
    assert room.size_bytes == sizes[-1]
