"""The exact distribution of the rank sum of two samples.

U counts the pairs of one value of each sample in which the second is smaller. If both samples are
of one distribution, every order is equally likely, whatever that distribution is (Mann and Whitney,
On a test of whether one of two random variables is stochastically larger than the other, 1947).
"""

from functools import lru_cache
from itertools import accumulate
from math import comb


def rank_sum_tail(u: int, first: int, second: int) -> float:
    """Return the probability that U of samples of `first` and `second` values is at most `u`."""
    if u < 0:
        return 0.0
    cumulative = _cumulative(min(first, second), max(first, second))
    return cumulative[min(u, len(cumulative) - 1)] / comb(first + second, first)


@lru_cache(256)
def _cumulative(few: int, many: int) -> tuple[int, ...]:
    """Return for every u how many orders have at most that U.

    Orders are counted by the coefficients of the Gaussian binomial, the product over i of
    (1 - x^(many + i)) / (1 - x^i).
    """
    counts = [1] + [0] * (few * many)
    for i in range(1, few + 1):
        for u in range(len(counts) - 1, many + i - 1, -1):
            counts[u] -= counts[u - many - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    return tuple(accumulate(counts))
