"""Where a straight line through points crosses zero, with an interval.

The interval of the crossing is Fieller's (Some problems in interval estimation, Journal of the
Royal Statistical Society B 16, 1954): the values at which the line does not differ from zero. It
is wide, or has no end, where the slope itself is uncertain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from solrbench.results.stats.repeat_statistics import student_t

LEAST_POINTS = 3
"""Points that a line with an interval needs."""


@dataclass(frozen=True)
class ZeroCrossing:
    """Where a line crosses zero.

    Attributes:
        at: the place
        slope: of the line
        points: how many the line goes through
        scatter: standard deviation of a single point's crossing
        lower: lower bound of the 95 % interval of the place; minus infinity where it has none
        upper: upper bound; infinity where it has none

    """

    at: float
    slope: float
    points: int
    scatter: float
    lower: float
    upper: float


def fit_crossing(x: Sequence[float], y: Sequence[float]) -> ZeroCrossing | None:
    """Return where the least squares line of `y` on `x` crosses zero.

    None with fewer than `LEAST_POINTS` points, if all stand at one place, or if the line falls.
    """
    if len(x) < LEAST_POINTS:
        return None
    mean_x, mean_y = fmean(x), fmean(y)
    spread = sum((each - mean_x) ** 2 for each in x)
    if spread <= 0:
        return None
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    if slope <= 0:
        return None
    residuals = [b - mean_y - slope * (a - mean_x) for a, b in zip(x, y, strict=True)]
    variance = sum(each**2 for each in residuals) / (len(x) - 2)
    lower, upper = _fieller(mean_y, slope, variance / len(x), variance / spread, len(x) - 2)
    return ZeroCrossing(
        at=mean_x - mean_y / slope,
        slope=slope,
        points=len(x),
        scatter=math.sqrt(variance) / slope,
        lower=mean_x + lower,
        upper=mean_x + upper,
    )


def _fieller(
    level: float, slope: float, level_variance: float, slope_variance: float, degrees: int
) -> tuple[float, float]:
    """Return the bounds of -level / slope, which are independent in the centre of the points.

    The values d with (level + slope·d)² <= t²·(level_variance + slope_variance·d²).
    """
    t2 = student_t(degrees) ** 2
    a = slope**2 - t2 * slope_variance
    if a <= 0:
        return -math.inf, math.inf
    b = level * slope
    root = math.sqrt(max(b * b - a * (level**2 - t2 * level_variance), 0.0))
    return (-b - root) / a, (-b + root) / a
