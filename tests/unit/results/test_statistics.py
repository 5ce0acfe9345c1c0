import pytest

from solrbench.results import statistics


def test_mean_is_exact_where_naive_summing_is_not() -> None:
    assert statistics.mean([1e16, 1.0, -1e16]) == pytest.approx(1 / 3)


def test_deviation_divides_by_n_minus_one() -> None:
    assert statistics.sample_standard_deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(
        (32 / 7) ** 0.5
    )


def test_relative_deviation_is_in_per_cent_of_the_mean() -> None:
    assert statistics.relative_deviation_percent([90, 110]) == pytest.approx(14.1421356)


def test_equal_repeats_do_not_deviate() -> None:
    assert statistics.relative_deviation_percent([5.5, 5.5, 5.5]) == 0


def test_a_mean_of_zero_has_no_relative_deviation() -> None:
    assert statistics.relative_deviation_percent([0, 0]) is None


def test_one_repeat_has_no_deviation() -> None:
    with pytest.raises(ValueError, match="at least two repeats"):
        statistics.sample_standard_deviation([1])


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one"):
        statistics.mean([])
