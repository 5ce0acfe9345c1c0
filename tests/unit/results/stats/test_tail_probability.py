"""Against the tables of Student's t and Fisher's F."""

import pytest

from solrbench.results.stats.tail_probability import f_tail, incomplete_beta, t_tails


@pytest.mark.parametrize(
    ("t", "degrees", "tails"),
    [(12.706, 1, 0.05), (2.228, 10, 0.05), (3.169, 10, 0.01), (1.960, 1e6, 0.05), (0.0, 7, 1.0)],
)
def test_tails_of_t_are_those_of_the_table(t: float, degrees: float, tails: float) -> None:
    assert t_tails(t, degrees) == pytest.approx(tails, abs=1e-4)
    assert t_tails(-t, degrees) == t_tails(t, degrees)


@pytest.mark.parametrize(
    ("ratio", "upper", "lower", "tail"),
    [(4.965, 1, 10, 0.05), (3.493, 2, 20, 0.05), (4.938, 4, 18, 0.0073), (0.0, 3, 9, 1.0)],
)
def test_tail_of_f_is_that_of_the_table(
    ratio: float, upper: float, lower: float, tail: float
) -> None:
    assert f_tail(ratio, upper, lower) == pytest.approx(tail, abs=1e-4)


def test_squared_t_is_f_with_one_degree_also_for_fractions_of_degrees() -> None:
    assert t_tails(1.7, 23.4) == pytest.approx(f_tail(1.7**2, 1, 23.4))


def test_incomplete_beta_of_whole_numbers_is_a_polynomial() -> None:
    for x in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert incomplete_beta(x, 2, 1) == pytest.approx(x * x)
        assert incomplete_beta(x, 1, 3) == pytest.approx(1 - (1 - x) ** 3)
