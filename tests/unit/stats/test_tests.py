import math
from statistics import stdev

import pytest

from solrbench.results.comparison.estimates import DifferenceEstimate, RankEstimate, StudentEstimate

BEFORE = (1.0, 2.0, 4.0, 3.0, 2.5)
AFTER = (2.2, 3.1, 5.3, 4.05, 3.4)

ESTIMATES: list[DifferenceEstimate] = [
    StudentEstimate.paired(BEFORE, AFTER),
    StudentEstimate.of_sides(BEFORE, AFTER),
    RankEstimate(BEFORE, AFTER),
]


def test_paired_interval_is_that_of_the_differences() -> None:
    differences = [b - a for a, b in zip(BEFORE, AFTER, strict=True)]
    found = StudentEstimate.paired(BEFORE, AFTER).interval(0.05)
    margin = 2.7764 * stdev(differences) / math.sqrt(5)
    assert found == pytest.approx((1.11 - margin, 1.11 + margin), abs=1e-3)


def test_equal_repeats_are_not_known_better_than_they_are_read() -> None:
    found = StudentEstimate.paired([0.0, 0.0], [0.1, 0.1]).interval(0.01)
    assert found.upper - found.lower > 0.02


def test_rank_interval_is_that_of_the_table() -> None:
    # Five values on each side: at 95 %, the third of the 25 differences from each end.
    found = RankEstimate(BEFORE, AFTER)
    assert found.interval(0.05) == (found.differences[2], found.differences[-3])


def test_ranks_of_few_repeats_have_no_interval() -> None:
    assert RankEstimate(BEFORE[:3], AFTER[:3]).interval(0.05) is None
    assert RankEstimate(BEFORE, AFTER).interval(0.001) is None


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_tests_and_intervals_agree(estimate: DifferenceEstimate) -> None:
    interval = estimate.interval(0.05)
    assert interval is not None
    for bound in (-3.0, -0.5, 0.0, 0.9, 1.2, 2.5, 4.0):
        assert (estimate.p_above(bound) <= 0.025) == (bound < interval.lower)
        assert (estimate.p_below(bound) <= 0.025) == (bound > interval.upper)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_more_repeats_make_it_more_precise(estimate: DifferenceEstimate) -> None:
    errors = [estimate.precision(more).error for more in (0, 5, 15)]
    assert errors == sorted(errors, reverse=True)
    assert errors[1] == pytest.approx(errors[0] / math.sqrt(2), rel=0.01)
    assert estimate.precision(5).degrees > estimate.precision(0).degrees
