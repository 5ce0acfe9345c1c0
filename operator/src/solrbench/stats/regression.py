"""Where a curve bends, and where a line crosses zero, each with an interval.

A bend is a hinge, y = a + b x + c max(x - k, 0), with k from the second to the last but one size;
or, as what does not fit into a memory of size k, y = a + c max(1 - k / x, 0), if that fits better.
As k is searched, F tables do not hold (Davies, Biometrika 74, 1987): the p value is that of
straight lines simulated in the same design. The interval of k has all joints whose residual squares
are not above the best · (1 + F(95 %; 1, n - 4) / (n - 4)) (Muggeo, Statistics in Medicine 22,
2003). A curve that rises ever faster is no bend: a parabola must fit worse.

The interval of a crossing is Fieller's (Some problems in interval estimation, Journal of the Royal
Statistical Society B 16, 1954): the values at which the line does not differ from zero. It is wide,
or has no end, where the slope itself is uncertain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from solrbench.stats.distributions import student_t, t_quantile

MIN_SIZES = 6
MIN_RUNS = 3
"""With fewer sizes or runs of each, true bends are missed, and their intervals do not hold."""

_JOINTS = 50
_SIMULATED = 500
_LEVEL = 0.05
_SEED = 9
_PARABOLA_WORSE = 1.25
"""How much larger the residual variance of the parabola must be."""

Floats = NDArray[np.float64]


class CurveShape(StrEnum):
    """What a curve is said to be."""

    BENDS = "Bends"
    CURVED = "Curved"
    STRAIGHT = "Straight"


@dataclass(frozen=True)
class SizeRuns:
    """The number of runs at one size `x`, with their mean and standard deviation."""

    x: float
    mean: float
    deviation: float
    runs: int


@dataclass(frozen=True)
class SegmentedFit:
    """What the curve is, and where two lines join, which has no meaning unless it bends.

    The slopes before and after are those of both lines; of a share, the latter is the mean one.
    """

    shape: CurveShape
    joint: float
    lower: float
    upper: float
    before: float
    after: float


def fit_segments(sizes: Sequence[SizeRuns]) -> SegmentedFit | None:
    """Return the shape of a curve; None with too few sizes or runs for a word."""
    ordered = sorted(sizes, key=lambda size: size.x)
    fewest = min((size.runs for size in ordered), default=0)
    if len({size.x for size in ordered}) < MIN_SIZES or fewest < MIN_RUNS:
        return None
    return _RegressionDesign(ordered).describe()


class _RegressionDesign:
    """Sizes and runs, scaled so that sizes go from 0 to 1.

    Means, deviations and counts say as much of the residual squares as all runs one by one.
    """

    def __init__(self, sizes: Sequence[SizeRuns]) -> None:
        x = np.array([each.x for each in sizes])
        self._offset, self._range = float(x[0]), float(x[-1] - x[0])
        self._sizes: Floats = x
        self._x: Floats = (x - x[0]) / self._range
        self._runs = np.array([each.runs for each in sizes], dtype=float)
        self._y: Floats = np.array([each.mean for each in sizes]) * np.sqrt(self._runs)
        self._within = sum((each.runs - 1) * each.deviation**2 for each in sizes)
        self._free = int(self._runs.sum()) - 4
        self._joints: Floats = np.linspace(self._x[1], self._x[-2], _JOINTS)
        ones = np.ones_like(self._x)
        self._line = self._basis(ones, self._x)
        self._hinges = [
            self._basis(ones, self._x, np.maximum(self._x - each, 0.0)) for each in self._joints
        ]
        self._shares = [self._basis(ones, self._outside(each)) for each in self._joints]

    def describe(self) -> SegmentedFit:
        """Return what the curve is."""
        lines, shares = self._joint_squares(self._y[None, :])
        is_share = shares.min() <= lines.min()
        between = (shares if is_share else lines)[0]
        best = int(between.argmin())
        least = float(between[best]) + self._within
        allowed = 1 + t_quantile(_LEVEL, self._free) ** 2 / self._free
        joints = self._joints[between + self._within <= least * allowed]
        at, half = float(self._joints[best]), float(self._joints[1] - self._joints[0]) / 2
        ones = np.ones_like(self._x)
        if is_share:
            # What does not fit has no slope, and the mean one from the joint to the largest size.
            outside = self._outside(at)
            share = float(self._fit(ones, outside)[1])
            before, after = 0.0, share * float(outside[-1]) / (self._range * (1 - at))
        else:
            _, slope, change = map(float, self._fit(ones, self._x, np.maximum(self._x - at, 0.0)))
            before, after = slope / self._range, (slope + change) / self._range
        lower, joint, upper = (
            self._offset + self._range * float(each)
            for each in (joints.min() - half, at, joints.max() + half)
        )
        return SegmentedFit(self._shape(least), joint, lower, upper, before, after)

    def _shape(self, least: float) -> CurveShape:
        if self._p_value(least) > _LEVEL:
            return CurveShape.STRAIGHT
        curve = self._basis(np.ones_like(self._x), self._x, self._x**2)
        # A smooth curve leaves a straight line, too: it is no bend.
        parabola = _left(self._y[None, :], curve)[0] + self._within
        worse = parabola / (self._free + 1) > _PARABOLA_WORSE * least / self._free
        return CurveShape.BENDS if worse else CurveShape.CURVED

    def _p_value(self, least: float) -> float:
        """Return how often straight lines of the same design gain as much by a joint."""
        if least <= 0:
            return 1.0
        line = _left(self._y[None, :], self._line)[0] + self._within
        rng = np.random.default_rng(_SEED)
        noise = rng.standard_normal((_SIMULATED, len(self._x)))
        within = rng.chisquare(self._free + 4 - len(self._x), _SIMULATED)
        lines = _left(noise, self._line) + within
        hinges = np.concatenate(self._joint_squares(noise), axis=1).min(axis=1) + within
        return float(np.mean(lines / hinges >= line / least))

    def _joint_squares(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the residual squares of each row with each joint: of lines, and of shares."""
        lines, shares = (
            np.stack([_left(rows, each) for each in bases], axis=1)
            for bases in (self._hinges, self._shares)
        )
        return lines, shares

    def _outside(self, joint: float) -> Floats:
        """Return the share of each size that does not fit into a memory of the size of a joint."""
        outside: Floats = np.maximum(1 - (self._offset + self._range * joint) / self._sizes, 0.0)
        return outside

    def _basis(self, *columns: Floats) -> Floats:
        return np.linalg.qr(self._weighted(*columns))[0]

    def _fit(self, *columns: Floats) -> Floats:
        factors = np.linalg.lstsq(self._weighted(*columns), self._y, rcond=None)[0]
        return factors.astype(np.float64)

    def _weighted(self, *columns: Floats) -> Floats:
        weighted: Floats = np.stack(columns, axis=1) * np.sqrt(self._runs)[:, None]
        return weighted


def _left(rows: Floats, basis: Floats) -> Floats:
    squares: Floats = (rows**2).sum(axis=1) - ((rows @ basis) ** 2).sum(axis=1)
    return np.maximum(squares, 0.0)


MIN_POINTS = 3
"""Points that a line with an interval needs."""


@dataclass(frozen=True)
class ZeroCrossing:
    """Where a line crosses zero, with the 95 % interval, whose bounds may be infinite.

    The scatter is the standard deviation of a single point's crossing.
    """

    at: float
    slope: float
    points: int
    scatter: float
    lower: float
    upper: float


def fit_crossing(x: Sequence[float], y: Sequence[float]) -> ZeroCrossing | None:
    """Return where the least squares line of `y` on `x` crosses zero; None unless it rises."""
    if len(x) < MIN_POINTS:
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
