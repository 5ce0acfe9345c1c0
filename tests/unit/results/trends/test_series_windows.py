"""Series cut into windows, and when caches are full."""

import math

from solrbench.results.trends.series_windows import SeriesPoint, cut_windows, full_from


def test_windows_have_the_combined_reading_and_their_middle() -> None:
    points = [SeriesPoint(float(each), 10.0 + each % 5) for each in range(101)]
    windows = cut_windows(points, min, 10)
    assert windows.values == [10.0] * 10
    assert windows.seconds[:2] == [5.0, 15.0]


def test_windows_without_readings_are_left_out() -> None:
    points = [SeriesPoint(0, 1), SeriesPoint(1, 2), SeriesPoint(9, 5), SeriesPoint(10, 4)]
    assert cut_windows(points, max, 4).values == [2, 5]


def test_single_reading_makes_no_window() -> None:
    assert cut_windows([SeriesPoint(0, 1)], min).values == []


def test_caches_are_full_where_their_entries_stand_still() -> None:
    filling = [SeriesPoint(each, min(each * 10, 300)) for each in range(100)]
    assert full_from(filling) == 30


def test_caches_that_fill_to_the_end_are_never_full() -> None:
    assert full_from([SeriesPoint(each, each) for each in range(100)]) is None
    slow = [SeriesPoint(each, 1 - math.exp(-each / 50)) for each in range(100)]
    assert full_from(slow) is None


def test_full_or_empty_caches_are_full_from_the_begin() -> None:
    assert full_from([SeriesPoint(3, 500), SeriesPoint(90, 505)]) == 3
    assert full_from([SeriesPoint(3, 0), SeriesPoint(90, 0)]) == 3
    assert full_from([]) is None
