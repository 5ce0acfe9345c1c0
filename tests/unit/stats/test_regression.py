import math
import random

import pytest

from solrbench.stats.regression import CurveShape, SizeRuns, fit_crossing, fit_segments
from support.narrowing import not_none


def test_points_on_a_line_cross_where_it_does_without_uncertainty() -> None:
    found = not_none(fit_crossing([1.0, 2.0, 4.0], [-1.0, 0.0, 2.0]))
    assert (found.at, found.slope) == pytest.approx((2.0, 1.0))
    assert (found.lower, found.upper) == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize(
    ("x", "y"),
    [([1.0, 2.0], [-1.0, 1.0]), ([1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]), ([1.0, 2.0, 3.0], [1, 0, -1])],
)
def test_too_few_points_one_place_and_a_falling_line_have_no_crossing(
    x: list[float], y: list[float]
) -> None:
    assert fit_crossing(x, y) is None


def test_a_slope_that_may_be_zero_has_an_interval_without_end() -> None:
    found = not_none(fit_crossing([0.0, 1.0, 2.0, 3.0], [0.5, -1.0, 1.0, 0.1]))
    assert (found.lower, found.upper) == (-math.inf, math.inf)


def test_95_of_100_intervals_hold_the_crossing() -> None:
    draw = random.Random(1)
    places = [0.08, -0.08, 0.0, 0.05, -0.05] * 2
    held = 0
    for _ in range(1000):
        found = not_none(fit_crossing(places, [4 * each + draw.gauss(0, 0.1) for each in places]))
        held += found.lower <= 0 <= found.upper
    # Three standard deviations of a binomial number.
    assert abs(held - 950) < 3 * math.sqrt(1000 * 0.95 * 0.05)


def sizes(levels: list[float], runs: int = 3, deviation: float = 0.05) -> list[SizeRuns]:
    return [SizeRuns(1.0 + place, level, deviation, runs) for place, level in enumerate(levels)]


def test_a_hinge_bends_at_its_joint_with_both_slopes() -> None:
    found = not_none(fit_segments(sizes([1.02, 0.98, 1.01, 1.0, 3.0, 5.02, 6.98, 9.0])))
    assert found.shape is CurveShape.BENDS
    assert found.lower <= 4 <= found.upper
    assert found.joint == pytest.approx(4, abs=0.15)
    assert found.before == pytest.approx(0, abs=0.05)
    assert found.after == pytest.approx(2, abs=0.1)


def test_what_does_not_fit_into_memory_bends_at_its_size() -> None:
    levels = [10 * max(0.0, 1 - 3.5 / (1 + place)) for place in range(8)]
    found = not_none(fit_segments(sizes(levels)))
    assert found.shape is CurveShape.BENDS
    assert found.lower <= 3.5 <= found.upper


def test_a_curve_that_rises_ever_faster_is_no_clear_bend() -> None:
    found = not_none(fit_segments(sizes([(1.0 + place) ** 2 / 4 for place in range(8)])))
    assert found.shape is CurveShape.CURVED


@pytest.mark.parametrize("levels", [[0.0] * 6, [2.0] * 6])
def test_the_same_everywhere_is_straight(levels: list[float]) -> None:
    found = not_none(fit_segments(sizes(levels, deviation=0.0)))
    assert found.shape is CurveShape.STRAIGHT


def test_too_few_sizes_or_runs_have_no_word() -> None:
    assert fit_segments(sizes([1, 1, 1, 3, 5])) is None
    assert fit_segments(sizes([1, 1, 1, 3, 5, 7], runs=2)) is None
