"""The rule of trends on few planted series; docs/method/causes.md has the numbers of many more."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.statistics.growth import HELD_OUT, SLOWING, STEADY_GROWTH, share_of
from solrbench.stats.growth import (
    MIN_TREND_WINDOWS,
    Growth,
    SeriesShape,
    find_growth,
    full_from,
    theil_sen,
)
from solrbench.stats.series import SeriesPoint, cut_windows
from support.narrowing import not_none

COUNT = 48
T = np.arange(COUNT) * 30.0
LEVEL = 600.0
Floats = NDArray[np.float64]


def noise() -> Floats:
    return np.asarray(np.random.default_rng(7).normal(0, 4, COUNT))


def found(values: Floats, load: Floats | None = None) -> Growth:
    return not_none(
        find_growth(T.tolist(), values.tolist(), None if load is None else load.tolist())
    )


FILLS = 200 * (1 - np.exp(-T / 120))
WAVE = np.sin(2 * np.pi * T / T[-1])


@pytest.mark.parametrize("beside", [0 * T, FILLS])
def test_planted_leak_is_named_with_its_slope(beside: Floats) -> None:
    growth = found(LEVEL + noise() + beside + 0.35 * T)
    assert growth.shape is SeriesShape.GROWS
    assert growth.slope == pytest.approx(0.35, rel=0.1)
    assert growth.lower < 0.35 < growth.upper


@pytest.mark.parametrize("grown", [0 * T, FILLS])
def test_steady_or_filling_is_no_growth(grown: Floats) -> None:
    assert found(LEVEL + noise() + grown).shape in {SeriesShape.STEADY, SeriesShape.INCONCLUSIVE}


def test_day_wave_is_explained_by_the_load() -> None:
    values = LEVEL + noise() + 60 * WAVE
    assert found(values, 100 + 50 * WAVE).shape is SeriesShape.STEADY


def test_single_rise_is_a_step() -> None:
    assert found(LEVEL + noise() + 100 * (T[20] < T)).shape is SeriesShape.STEP


def test_creep_is_no_single_rise() -> None:
    creep = LEVEL * (1 + 0.1 * T / T[-1])
    noises = (np.random.default_rng(seed).normal(0, 12, COUNT) for seed in range(40))
    assert SeriesShape.STEP not in [found(creep + each).shape for each in noises]


@pytest.mark.parametrize("name", [*SLOWING, *HELD_OUT])
def test_growth_that_slows_down_is_not_called_growth(name: str) -> None:
    curve = (SLOWING | HELD_OUT)[name]
    assert share_of(SeriesShape.GROWS, curve, 0.5, 0.01, 20) <= 0.1


@pytest.mark.parametrize("name", SLOWING)
def test_growth_that_slows_down_is_named(name: str) -> None:
    assert share_of(SeriesShape.SLOWS_DOWN, SLOWING[name], 0.5, 0.01, 20) >= 0.8


def test_leak_beside_a_cache_that_fills_goes_on() -> None:
    cache = np.asarray(STEADY_GROWTH["line"] + 1 - np.exp(-STEADY_GROWTH["line"] / 0.1))
    assert share_of(SeriesShape.GROWS, cache, 0.5, 0.01, 20) >= 0.9


def test_growth_that_goes_on_does_not_slow_down() -> None:
    assert share_of(SeriesShape.GROWS, STEADY_GROWTH["line"], 0.2, 0.01, 40) >= 0.9


def test_constant_series_and_growth_that_does_not_matter_are_steady() -> None:
    assert found(np.full(COUNT, LEVEL)).shape is SeriesShape.STEADY
    assert found(LEVEL + noise() / 4 + 10 * T / T[-1]).shape is SeriesShape.STEADY


def test_least_growth_holds_for_a_level_of_zero() -> None:
    values = (0.05 * T / T[-1]).tolist()
    small, large = (
        not_none(find_growth(T.tolist(), [factor * each for each in values], least=0.1))
        for factor in (1, 10)
    )
    assert (small.shape, large.shape) == (SeriesShape.STEADY, SeriesShape.GROWS)


def test_few_windows_say_nothing() -> None:
    few = MIN_TREND_WINDOWS - 1
    assert find_growth(T[:few].tolist(), T[:few].tolist()) is None


def test_theil_sen_is_not_moved_by_an_outlier() -> None:
    values = np.asarray(2 * T, dtype=np.float64)
    values[10] = 1e9
    assert theil_sen(np.asarray(T, dtype=np.float64), values) == pytest.approx(2)


def test_windows_have_the_combined_reading_and_their_middle() -> None:
    points = [SeriesPoint(float(each), 10.0 + each % 5) for each in range(101)]
    windows = cut_windows(points, min, 10)
    assert windows.values == [10.0] * 10
    assert windows.seconds[:2] == [5.0, 15.0]


def test_windows_without_readings_and_of_a_single_one_are_left_out() -> None:
    assert cut_windows([SeriesPoint(0, 1)], min).values == []
    points = [SeriesPoint(0, 1), SeriesPoint(1, 2), SeriesPoint(9, 5), SeriesPoint(10, 4)]
    assert cut_windows(points, max, 4).values == [2, 5]


def test_caches_are_full_where_their_entries_stand_still() -> None:
    assert full_from([SeriesPoint(each, min(each * 10, 300)) for each in range(100)]) == 30
    # Full or empty from the begin.
    assert full_from([SeriesPoint(3, 500), SeriesPoint(90, 505)]) == 3
    assert full_from([SeriesPoint(3, 0), SeriesPoint(90, 0)]) == 3


def test_caches_that_fill_to_the_end_are_never_full() -> None:
    assert full_from([]) is None
    assert full_from([SeriesPoint(each, each) for each in range(100)]) is None
    slow = [SeriesPoint(each, 1 - math.exp(-each / 50)) for each in range(100)]
    assert full_from(slow) is None
