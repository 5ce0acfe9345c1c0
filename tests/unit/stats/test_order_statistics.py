from random import Random

import pytest

from solrbench.stats.order_statistics import sample_percentile


def test_the_interval_of_a_median_is_that_of_the_tables() -> None:
    # Ranks 2 and 9 of ten, 10 and 21 of thirty (Conover, Practical Nonparametric Statistics, A3).
    assert sample_percentile(range(1, 11), 50) == (5, 2, 9)
    assert sample_percentile(range(1, 31), 50) == (15, 10, 21)


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
        assert found.lower is not None
        assert found.upper is not None
        assert found.lower <= found.value <= found.upper
        held += found.lower <= percent / 100 <= found.upper
    assert held >= 0.93 * rounds
