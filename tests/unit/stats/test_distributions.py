"""Against the tables of Student's t and Fisher's F."""

from itertools import combinations
from math import comb
from random import Random

import pytest

from solrbench.analysis.step_results import mean
from solrbench.stats.distributions import (
    confidence_interval,
    f_tail,
    incomplete_beta,
    rank_sum_tail,
    relative_deviation_percent,
    sample_percentile,
    signed_rank_tail,
    t_quantile,
    t_tails,
)
from support.narrowing import not_none


@pytest.mark.parametrize(
    ("tails", "degrees", "t"),
    [
        # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975
        (0.05, 1, 12.706),
        (0.05, 2, 4.303),
        (0.05, 3, 3.182),
        (0.05, 4, 2.776),
        (0.05, 10, 2.228),
        (0.05, 29, 2.045),
        (0.05, 99, 1.984),
        (0.05, 1e6, 1.960),
        (0.01, 4, 4.604),
        (0.01, 9, 3.250),
        (0.01, 10, 3.169),
        (0.001, 30, 3.646),
        (1.0, 5, 0.0),
    ],
)
def test_t_and_its_tails_are_those_of_the_table(tails: float, degrees: float, t: float) -> None:
    assert t_quantile(tails, degrees) == pytest.approx(t, abs=6e-4)
    assert t_tails(t, degrees) == t_tails(-t, degrees) == pytest.approx(tails, abs=1e-4)


@pytest.mark.parametrize(
    ("tail", "upper", "lower", "ratio"),
    [
        (0.05, 1, 10, 4.965),
        (0.05, 2, 20, 3.493),
        (0.05, 4, 1e6, 2.372),
        (0.01, 5, 5, 10.967),
        (0.00727, 4, 18, 4.938),
        (1.0, 3, 9, 0.0),
    ],
)
def test_f_is_that_of_the_table(tail: float, upper: float, lower: float, ratio: float) -> None:
    assert f_tail(ratio, upper, lower) == pytest.approx(tail, rel=1e-3)


@pytest.mark.parametrize("tail", [1e-6, 0.0015, 0.05, 0.5])
@pytest.mark.parametrize("degrees", [1.0, 2.7, 17.3])
def test_quantiles_invert_tails_also_for_fractions_of_degrees(tail: float, degrees: float) -> None:
    assert t_tails(t_quantile(tail, degrees), degrees) == pytest.approx(tail, rel=1e-6)


@pytest.mark.parametrize(("tail", "degrees"), [(0.0, 3.0), (1.5, 3.0), (0.05, 0.0), (0.05, -1.0)])
def test_what_has_no_quantile_is_refused(tail: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(tail, degrees)


@pytest.mark.parametrize(("first", "second"), [(2, 3), (4, 4), (5, 3)])
def test_tail_is_the_share_of_all_orders(first: int, second: int) -> None:
    ranks = range(first + second)
    found = [
        sum(other < own for own in chosen for other in ranks if other not in chosen)
        for chosen in combinations(ranks, first)
    ]
    for u in range(-1, first * second + 1):
        share = sum(each <= u for each in found) / len(found)
        assert rank_sum_tail(u, first, second) == pytest.approx(share)


def test_least_tail_of_large_samples_is_exact() -> None:
    assert rank_sum_tail(0, 20, 20) == 1 / comb(40, 20)
    assert rank_sum_tail(20 * 20, 20, 20) == 1


def test_mean_is_exact_where_naive_summing_is_not() -> None:
    assert mean([1e16, 1.0, -1e16]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("values", "percent"),
    [
        # The mean is 5, the sum of squares around it 32, and seven is one less than their number.
        ([2, 4, 4, 4, 5, 5, 7, 9], 100 * (32 / 7) ** 0.5 / 5),
        ([90, 110], 14.1421356),
        ([5.5, 5.5, 5.5], 0),
        ([0, 0], None),
    ],
)
def test_deviation_is_that_of_a_sample_in_per_cent_of_the_mean(
    values: list[float], percent: float | None
) -> None:
    assert relative_deviation_percent(values) == pytest.approx(percent)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_values_have_no_deviation_and_no_confidence(values: list[float]) -> None:
    for spread in (relative_deviation_percent, confidence_interval):
        with pytest.raises(ValueError, match="at least two data points"):
            spread(values)
    assert mean(values) is None


def test_confidence_interval_of_a_worked_example() -> None:
    # mean 3, s = sqrt(2.5), t(4) = 2.776: 3 -+ 2.776 * 1.5811 / 2.2361
    assert confidence_interval([1, 2, 3, 4, 5]) == pytest.approx((1.0368, 4.9632), abs=1e-3)


def test_confidence_interval_holds_the_mean_as_often_as_it_says() -> None:
    source = Random(5)
    runs = [[source.gauss(7, 2) for _ in range(3)] for _ in range(2000)]
    hits = sum(low <= 7 <= high for low, high in map(confidence_interval, runs))
    # Five standard deviations: sqrt(2000 * 0.95 * 0.05) = 9.7.
    assert abs(hits - 1900) < 5 * 9.7


def test_squared_t_is_f_with_one_degree_also_for_fractions_of_degrees() -> None:
    assert t_tails(1.7, 23.4) == pytest.approx(f_tail(1.7**2, 1, 23.4))


def test_incomplete_beta_of_whole_numbers_is_a_polynomial() -> None:
    for x in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert incomplete_beta(x, 2, 1) == pytest.approx(x * x)
        assert incomplete_beta(x, 1, 3) == pytest.approx(1 - (1 - x) ** 3)


def test_signed_ranks_are_those_of_the_tables() -> None:
    # Wilcoxon's table: 3 of 8 values, one-sided 0.0195; of 6, 0 has 1/64.
    assert signed_rank_tail(3, 8) == pytest.approx(5 / 256)
    assert signed_rank_tail(0, 6) == 1 / 64
    assert (signed_rank_tail(-1, 6), signed_rank_tail(99, 6)) == (0.0, 1.0)


def test_the_interval_of_a_median_is_that_of_the_tables() -> None:
    # Ranks 2 and 9 of ten, 10 and 21 of thirty (Conover, Practical Nonparametric Statistics, A3).
    assert sample_percentile(range(1, 11), 50) == (5, 2, 9)
    assert sample_percentile(range(1, 31), 50) == (15, 10, 21)
    # As binary fractions, 99.9 % of 1000 are a little more than 999.
    assert sample_percentile(range(1, 1001), 99.9).value == 999


@pytest.mark.parametrize(("count", "percent"), [(5, 50), (20, 95), (200, 99)])
def test_a_bound_that_no_value_can_be_is_absent(count: int, percent: float) -> None:
    found = sample_percentile(range(count), percent)
    assert found.upper is None
    assert found.value <= count - 1


@pytest.mark.parametrize("percent", [50, 90, 95])
def test_intervals_hold_as_often_as_they_say(percent: float) -> None:
    random, held, rounds = Random(4), 0, 400
    for _ in range(rounds):
        found = sample_percentile(sorted(random.random() for _ in range(150)), percent)
        lower, upper = not_none(found.lower), not_none(found.upper)
        assert lower <= found.value <= upper
        held += lower <= percent / 100 <= upper
    assert held >= 0.93 * rounds
