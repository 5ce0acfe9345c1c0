"""Statistics over repeats: few numbers, each of one whole pass.

They describe how far repeats of the same measurement differ. They are never used on latencies of
single requests, which live in histograms.
"""

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean.

    Raises:
        ValueError: if `values` is empty.

    """
    if not values:
        raise ValueError("mean of no values; give at least one")
    return math.fsum(values) / len(values)


def sample_standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of the population that `values` are a sample of.

    The sum of squares is divided by n - 1 (Bessel's correction): repeats are a sample of all runs
    that could have been made. The unit is that of the values.

    Raises:
        ValueError: if there are fewer than two values.

    """
    if len(values) < 2:
        raise ValueError("deviation of fewer than two values; measure at least two repeats")
    centre = mean(values)
    squares = math.fsum((value - centre) ** 2 for value in values)
    return math.sqrt(squares / (len(values) - 1))


def relative_deviation_percent(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation in per cent of the mean.

    This is the coefficient of variation; it is absent for a mean of zero, where it has no meaning.

    Raises:
        ValueError: if there are fewer than two values.

    """
    deviation = sample_standard_deviation(values)
    centre = mean(values)
    return 100 * deviation / abs(centre) if centre else None
