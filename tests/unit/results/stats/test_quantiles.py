"""Against the tables of Student's t and Fisher's F."""

import pytest

from solrbench.results.stats.quantiles import f_quantile, t_quantile
from solrbench.results.stats.tail_probability import f_tail, t_tails


@pytest.mark.parametrize(
    ("tails", "degrees", "t"),
    [
        (0.05, 1, 12.706),
        (0.05, 2, 4.303),
        (0.05, 10, 2.228),
        (0.01, 4, 4.604),
        (0.01, 9, 3.250),
        (0.001, 30, 3.646),
        (0.05, 1e6, 1.960),
        (1.0, 5, 0.0),
    ],
)
def test_t_is_that_of_the_table(tails: float, degrees: float, t: float) -> None:
    assert t_quantile(tails, degrees) == pytest.approx(t, abs=6e-4)


@pytest.mark.parametrize(
    ("tail", "upper", "lower", "ratio"),
    [(0.05, 1, 10, 4.965), (0.05, 2, 20, 3.493), (0.01, 5, 5, 10.967), (0.05, 4, 1e6, 2.372)],
)
def test_f_is_that_of_the_table(tail: float, upper: float, lower: float, ratio: float) -> None:
    assert f_quantile(tail, upper, lower) == pytest.approx(ratio, abs=6e-4)


@pytest.mark.parametrize("tail", [1e-6, 0.0015, 0.05, 0.5])
@pytest.mark.parametrize("degrees", [1.0, 2.7, 17.3])
def test_quantiles_invert_tails_also_for_fractions_of_degrees(tail: float, degrees: float) -> None:
    assert t_tails(t_quantile(tail, degrees), degrees) == pytest.approx(tail, rel=1e-6)
    assert f_tail(f_quantile(tail, 3.4, degrees), 3.4, degrees) == pytest.approx(tail, rel=1e-6)


@pytest.mark.parametrize(("tail", "degrees"), [(0.0, 3.0), (1.5, 3.0), (0.05, 0.0), (0.05, -1.0)])
def test_what_has_no_quantile_is_refused(tail: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(tail, degrees)
    with pytest.raises(ValueError, match="no quantile"):
        f_quantile(tail, 3, degrees)
