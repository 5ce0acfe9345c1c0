import math
from random import Random

import pytest

from solrbench.analysis.differences import (
    DEFAULT_RULE,
    RepeatValue,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import FAILED, ComparedMetric, Difference, read_figure, store_figure
from solrbench.analysis.sentences import format_conclusion
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.stats.tests import RankEstimate, StudentEstimate
from support.results.compared_figures import compared, drawn, figures


def student(found: Difference) -> StudentEstimate:
    assert isinstance(found.test, StudentEstimate)
    return found.test


def sizes(found: Difference) -> list[int]:
    return [each.size for each in student(found).variances]


def test_rounds_are_compared_within() -> None:
    # The machine is twice as slow in the second round, which hits both sides.
    found = compared(figures([100, 200, 100]), figures([110, 240, 130]), in_rounds=True)
    assert sizes(found) == [3]
    assert student(found).centre == pytest.approx(math.log(1.1 * 1.2 * 1.3) / 3)
    assert found.baseline == pytest.approx(2 ** (1 / 3) * 100)


def test_only_rounds_count_that_both_sides_have() -> None:
    found = compared(figures([100, 300, 100]), figures([110, 330]), in_rounds=True)
    assert found.repeats == (2, 2)
    assert found.estimate == pytest.approx(10)


def test_without_rounds_the_sides_may_have_different_repeats() -> None:
    found = compared(figures([100, 100, 100, 100]), figures([110, 110, 110]))
    assert found.repeats == (4, 3)
    assert sizes(found) == [4, 3]


@pytest.mark.parametrize("in_rounds", [False, True])
def test_nothing_is_concluded_from_two_repeats(in_rounds: bool) -> None:
    found = compared(figures([100, 100]), figures([150, 150]), in_rounds=in_rounds)
    assert (found.repeats, found.test) == ((2, 2), None)
    assert found.estimate == pytest.approx(50)


@pytest.mark.parametrize("in_rounds", [False, True])
def test_repeats_vary_at_least_as_their_time_blocks_do(in_rounds: bool) -> None:
    def side(value: float, targets: int) -> list[RepeatValue]:
        return [RepeatValue(n, f"target-{n % targets}", value, 0.02) for n in range(4)]

    # The mean of two repeats of one target is known better.
    for targets in (4, 2):
        found = compared(side(100, targets), side(110, targets), in_rounds=in_rounds)
        assert sizes(found) == [targets] * (1 if in_rounds else 2)
        error = student(found).precision(0).error
        assert error == pytest.approx(0.02 * math.sqrt(2 / 4))


def test_welch_has_the_degrees_of_freedom_of_a_worked_example() -> None:
    # Variances 4 and 1 (of values that are compared by their difference), five and three values.
    spread = math.sqrt(2)
    before = figures([10 - 2 * spread, 10, 10, 10, 10 + 2 * spread])
    found = compared(before, figures([1, 2, 3]), FAILED)
    error, degrees = student(found).precision(0)
    assert error == pytest.approx(math.sqrt(4 / 5 + 1 / 3))
    expected = (4 / 5 + 1 / 3) ** 2 / ((4 / 5) ** 2 / 4 + (1 / 3) ** 2 / 2)
    assert degrees == pytest.approx(expected)


def test_repeats_that_share_targets_count_once_for_each_target() -> None:
    one = figures([100, 102, 110, 112], targets=["a", "a", "b", "b"])
    other = figures([101, 103, 111, 113], targets=["c", "c", "d", "d"])
    found = compared(one, other)
    assert sizes(found) == [2, 2]
    assert not found.on_target
    assert found.repeats == (4, 4)


def test_rounds_on_shared_targets_count_once_for_each_target() -> None:
    targets = ["a", "a", "b", "b", "c"]
    before = figures([100, 100, 110, 110, 120], targets=targets)
    after = figures([105, 105, 115, 115, 126], targets=targets)
    assert sizes(compared(before, after, in_rounds=True)) == [3]


@pytest.mark.parametrize("in_rounds", [True, False])
def test_repeats_on_one_target_say_so(in_rounds: bool) -> None:
    before = figures([100, 101, 102, 101, 100], targets=["a"] * 5)
    after = figures([110, 111, 112, 111, 110], targets=["a"] * 5)
    found = compared(before, after, in_rounds=in_rounds)
    assert found.on_target
    assert found.test is not None


def test_ten_repeats_on_one_target_each_are_no_sample_of_targets() -> None:
    found = compared(figures([100, 101], targets=["a"] * 2), figures([90, 91], targets=["b"] * 2))
    assert found.on_target


def test_a_repeat_that_is_an_outlier_is_compared_by_ranks() -> None:
    calm = [100, 101, 99, 100.5, 99.5, 100, 101]
    found = compared(figures([*calm, 140]), figures([105 * each / 100 for each in [*calm, 100]]))
    assert isinstance(found.test, RankEstimate)
    assert found.estimate == pytest.approx(5, abs=0.5)


@pytest.mark.parametrize("in_rounds", [True, False])
@pytest.mark.parametrize(("family", "is_by_ranks"), [(1, True), (2, False), (3, False)])
def test_outliers_leave_a_plain_difference_of_a_family_decided(
    family: int, is_by_ranks: bool, in_rounds: bool
) -> None:
    """The ranks of five repeats have a p value of 0.8 % at least, whatever the difference is."""
    before, after = [100, 101, 99, 100.5, 115], [130, 131.5, 129, 130, 131]
    found = compared(figures(before), figures(after), in_rounds=in_rounds)
    assert isinstance(found.test, RankEstimate)
    concluded = conclude_primary([found] * family, DEFAULT_RULE)
    assert {each.conclusion for each in concluded} == {Conclusion.WORSE}
    assert (concluded[0].estimate == found.estimate) is is_by_ranks


@pytest.mark.parametrize(
    ("percent", "conclusion"), [(0.0, Conclusion.SAME), (6.5, Conclusion.WORSE)]
)
@pytest.mark.parametrize(("rounds", "machine"), [(5, 0.02), (5, 0.1), (10, 0.1)])
def test_a_round_that_is_slow_for_both_sides_cancels_out(
    rounds: int, machine: float, percent: float, conclusion: Conclusion
) -> None:
    right = sum(
        conclude_slow_round(Random(seed), rounds, machine, percent) is conclusion
        for seed in range(100)
    )
    assert right >= 97


def conclude_slow_round(
    draw: Random, rounds: int, machine: float, percent: float
) -> Conclusion | None:
    """Return the conclusion on sides with noise of 0.7 % each, the first round 60 % slower."""
    levels = [
        draw.gauss(0, machine) + (math.log(1.6) if number == 0 else 0) for number in range(rounds)
    ]
    before = [100 * math.exp(level + draw.gauss(0, 0.007)) for level in levels]
    shift = math.log1p(percent / 100)
    after = [100 * math.exp(level + shift + draw.gauss(0, 0.007)) for level in levels]
    difference = compared(figures(before), figures(after), in_rounds=True)
    return conclude_primary([difference], DEFAULT_RULE)[0].conclusion


def test_a_repeat_far_from_its_round_is_compared_by_signed_ranks() -> None:
    levels = [100, 140, 90, 120, 80, 110, 100, 95]
    after = [1.06 * each * (1 + 0.001 * number) for number, each in enumerate(levels)]
    found = compared(figures(levels), figures([*after[:-1], 2 * after[-1]]), in_rounds=True)
    assert isinstance(found.test, RankEstimate)
    assert len(found.test.samples) == 1
    (concluded,) = conclude_primary([found], DEFAULT_RULE)
    assert concluded.conclusion is Conclusion.WORSE


def test_few_repeats_and_trifles_are_no_outliers() -> None:
    assert sizes(compared(figures([100, 100, 100, 140]), figures([100] * 4))) == [4, 4]
    assert sizes(compared(figures([100, 100, 100, 100, 104]), figures([100] * 5))) == [5, 5]


def test_a_side_without_figures_has_no_difference() -> None:
    assert estimate_difference(FAILED, [], figures([1.0]), in_rounds=False) is None


def test_shares_of_zero_are_compared_in_points() -> None:
    found = compared(figures([0.0, 0.0]), figures([2.0, 4.0]), FAILED)
    assert (found.baseline, found.candidate, found.estimate) == (0.0, 3.0, 3.0)


def test_a_trend_may_explain_the_difference_of_sides_that_were_measured_apart() -> None:
    """Repeats of 6 min on a machine that slows down by 5 % an hour: 5 % from side to side."""
    draw = Random(11)
    level = [100 * 1.05 ** (each / 10) * math.exp(draw.gauss(0, 0.005)) for each in range(20)]
    (found,) = conclude_primary([compared(figures(level[:10]), figures(level[10:]))], DEFAULT_RULE)
    assert found.conclusion is Conclusion.INCONCLUSIVE
    assert found.more_repeats is None
    more = "inconclusive: measure both in turn, as the machine changed meanwhile"
    stored = store_figure(ComparedMetric(found), is_invalid=False)
    assert format_conclusion(read_figure(stored)) == more
    far = figures(1.5 * each for each in level[10:])
    (found,) = conclude_primary([compared(figures(level[:10]), far)], DEFAULT_RULE)
    assert (found.conclusion, found.has_changed) == (Conclusion.WORSE, False)


def test_independent_repeats_hardly_ever_look_like_a_machine_that_changes() -> None:
    found = [
        compared(drawn(seed, size, cv=0.02), drawn(seed + 5000, 10, cv=0.02))
        for seed in range(1000)
        for size in (5, 10)
    ]
    assert 60 < sum(each.has_changed for each in found) < 140  # 5 %
    cold = figures([160, *(each.value for each in drawn(3, 9, cv=0.01))])
    assert not compared(cold, cold).has_changed
