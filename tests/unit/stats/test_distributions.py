import random

import pytest

from solrbench.results.stats import repeat_statistics
from solrbench.results.summary.latency_fields import mean


def test_mean_is_exact_where_naive_summing_is_not() -> None:
    assert mean([1e16, 1.0, -1e16]) == pytest.approx(1 / 3)


def test_deviation_divides_by_n_minus_one() -> None:
    # The mean is 5, the sum of squares around it 32.
    assert repeat_statistics.relative_deviation_percent([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(
        100 * (32 / 7) ** 0.5 / 5
    )


def test_relative_deviation_is_in_per_cent_of_the_mean() -> None:
    assert repeat_statistics.relative_deviation_percent([90, 110]) == pytest.approx(14.1421356)


def test_equal_repeats_do_not_deviate() -> None:
    assert repeat_statistics.relative_deviation_percent([5.5, 5.5, 5.5]) == 0


def test_a_mean_of_zero_has_no_relative_deviation() -> None:
    assert repeat_statistics.relative_deviation_percent([0, 0]) is None


def test_one_repeat_has_no_deviation() -> None:
    with pytest.raises(ValueError, match="at least two data points"):
        repeat_statistics.relative_deviation_percent([1])


def test_nothing_has_no_mean() -> None:
    assert mean([]) is None
    with pytest.raises(ValueError, match="at least two data points"):
        repeat_statistics.confidence_interval([])


@pytest.mark.parametrize(
    ("degrees", "t"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984)],
)
def test_students_t_is_that_of_the_tables(degrees: int, t: float) -> None:
    # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975
    assert repeat_statistics.student_t(degrees) == pytest.approx(t, abs=0.0005)


def test_confidence_interval_of_a_worked_example() -> None:
    # mean 3, s = sqrt(2.5), t(4) = 2.776: 3 -+ 2.776 * 1.5811 / 2.2361
    found = repeat_statistics.confidence_interval([1, 2, 3, 4, 5])
    assert found == pytest.approx((1.0368, 4.9632), abs=1e-3)


def test_confidence_interval_holds_the_mean_as_often_as_it_says() -> None:
    source = random.Random(5)
    runs = [[source.gauss(7, 2) for _ in range(3)] for _ in range(2000)]
    hits = sum(low <= 7 <= high for low, high in map(repeat_statistics.confidence_interval, runs))
    # Five standard deviations: sqrt(2000 * 0.95 * 0.05) = 9.7.
    assert abs(hits - 1900) < 5 * 9.7


def test_one_value_has_no_confidence() -> None:
    with pytest.raises(ValueError, match="at least two data points"):
        repeat_statistics.confidence_interval([1])
