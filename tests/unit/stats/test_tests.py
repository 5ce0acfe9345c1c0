import math
from statistics import stdev

import pytest

from solrbench.stats.tests import (
    Adjustment,
    DifferenceEstimate,
    Looks,
    RankEstimate,
    StudentEstimate,
    benjamini_hochberg,
    holm,
)


def test_holm_ends_at_the_first_that_fails() -> None:
    # 0.01 <= 0.05 / 4; 0.015 <= 0.05 / 3; 0.03 > 0.05 / 2, so 0.04 does not hold either.
    assert holm([0.04, 0.01, 0.03, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])


def test_benjamini_and_hochberg_take_all_up_to_the_last_that_passes() -> None:
    # Of five: 0.028 > 0.02, but 0.029 <= 0.03, so the one before it holds, too.
    adjusted = benjamini_hochberg([0.9, 0.005, 0.028, 0.029, 0.5])
    assert [each <= 0.05 for each in adjusted] == [False, True, True, True, False]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_a_single_test_has_the_whole_level(adjust: Adjustment) -> None:
    assert adjust([0.05]) == [0.05]
    assert adjust([]) == []


BEFORE = (1.0, 2.0, 4.0, 3.0, 2.5)
AFTER = (2.2, 3.1, 5.3, 4.05, 3.4)

ESTIMATES: list[DifferenceEstimate] = [
    StudentEstimate.paired(BEFORE, AFTER),
    StudentEstimate.unpaired(BEFORE, AFTER),
    RankEstimate.unpaired(BEFORE, AFTER),
]
SIGNED_RANKS = RankEstimate.paired([*BEFORE, 1.0, 2.0], [*AFTER, 2.0, 3.2])


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
    found = RankEstimate.unpaired(BEFORE, AFTER)
    assert found.interval(0.05) == (found.differences[2], found.differences[-3])


def test_ranks_of_few_repeats_have_no_interval() -> None:
    assert RankEstimate.unpaired(BEFORE[:3], AFTER[:3]).interval(0.05) is None
    assert RankEstimate.unpaired(BEFORE, AFTER).interval(0.001) is None


@pytest.mark.parametrize("estimate", [*ESTIMATES, SIGNED_RANKS])
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


@pytest.mark.parametrize(
    ("look", "share"), [(4, 0.0), (5, 0.0625), (6, 0.03), (10, 1 / 12), (20, 1 / 3), (25, 1 / 3)]
)
def test_share_grows_with_the_square_of_the_repeats(look: int, share: float) -> None:
    assert Looks(5, 20).share(look) == pytest.approx(share)


def test_a_single_look_has_the_whole_level() -> None:
    assert Looks(7, 7).share(7) == 1


def test_many_comparisons_spend_less_at_each_look() -> None:
    looks = Looks(5, 20)
    assert looks.share(20, family=3) == pytest.approx(1 / 3.5)
    assert looks.share(5, family=3) == looks.share(5)


@pytest.mark.parametrize(("minimum", "maximum"), [(5, 20), (2, 4), (3, 10), (2, 20), (4, 5)])
def test_looks_spend_little_more_than_the_level_of_all(minimum: int, maximum: int) -> None:
    """By the inequality of Boole; looks that agree with each other spend less."""
    looks = Looks(minimum, maximum)
    assert sum(looks.share(each, family=11) for each in range(maximum + 1)) <= 2.2


def test_a_few_rounds_spend_what_has_come_in() -> None:
    assert [Looks(2, 4).share(each) for each in (2, 3, 4)] == [4 / 16, 5 / 16, 7 / 16]


@pytest.mark.parametrize(("minimum", "maximum"), [(1, 5), (6, 5)])
def test_looks_that_no_design_has_are_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError, match="looks from"):
        Looks(minimum, maximum)
