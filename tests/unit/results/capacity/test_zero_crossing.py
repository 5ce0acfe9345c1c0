"""Where a line through points crosses zero."""

import math
import random

import pytest

from solrbench.results.capacity.zero_crossing import fit_crossing


def test_points_on_a_line_cross_where_it_does_without_uncertainty() -> None:
    found = fit_crossing([1.0, 2.0, 4.0], [-1.0, 0.0, 2.0])
    assert found is not None
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
    found = fit_crossing([0.0, 1.0, 2.0, 3.0], [0.5, -1.0, 1.0, 0.1])
    assert found is not None
    assert (found.lower, found.upper) == (-math.inf, math.inf)


def test_95_of_100_intervals_hold_the_crossing() -> None:
    draw = random.Random(1)
    places = [0.08, -0.08, 0.0, 0.05, -0.05] * 2
    held = 0
    for _ in range(1000):
        found = fit_crossing(places, [4 * each + draw.gauss(0, 0.1) for each in places])
        assert found is not None
        held += found.lower <= 0 <= found.upper
    # Three standard deviations of a binomial number.
    assert abs(held - 950) < 3 * math.sqrt(1000 * 0.95 * 0.05)
