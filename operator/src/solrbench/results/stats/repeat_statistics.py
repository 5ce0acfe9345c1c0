"""Statistics over repeats: few numbers, each of one whole step run.

They describe how far repeats of the same measurement differ. They are never used on latencies of
single requests, which live in histograms. Deviations are those of a sample (n - 1, Bessel's
correction): repeats are a sample of all runs that could have been made.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from solrbench.results.stats.quantiles import t_quantile

CONFIDENCE = 0.95


def relative_deviation_percent(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation in percent of the mean.

    This is the coefficient of variation; it is absent for a mean of zero, where it has no meaning.

    Raises:
        statistics.StatisticsError: if there are fewer than two values; it is a ValueError.

    """
    deviation, centre = stdev(values), fmean(values)
    return 100 * deviation / abs(centre) if centre else None


def confidence_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the interval that holds the true mean with a confidence of 95 %.

    Mean -+ t * s / sqrt(n), with Student's t for n - 1 degrees of freedom: it takes into account
    that the deviation s is itself estimated from n values. It rests on values that are independent
    and normally distributed, as means over many requests nearly are. See NIST/SEMATECH e-Handbook
    of Statistical Methods, 1.3.5.2, "Confidence Limits for the Mean". The unit is that of the
    values.

    Raises:
        statistics.StatisticsError: if there are fewer than two values; it is a ValueError.

    """
    margin = stdev(values) / math.sqrt(len(values))
    margin *= student_t(len(values) - 1)
    centre = fmean(values)
    return centre - margin, centre + margin


def student_t(degrees: int) -> float:
    """Return the t that a Student-distributed value stays within, in both directions, at 95 %."""
    return t_quantile(1 - CONFIDENCE, degrees)
