from itertools import combinations
from math import comb

import pytest

from solrbench.results.stats.rank_sum import rank_sum_tail


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
