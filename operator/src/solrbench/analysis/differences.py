"""From the figures of single repeats to the difference of two sides.

The sample must be of the level that the question is about. Repeats on one warm target differ less
than two targets do: taken as a sample of targets, they call equal ones different in 69 to 95 of 100
cases. So where repeats share targets, the figures of one target are averaged and targets are the
sample; where a side has one target only, the difference is known for that target and says so.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from solrbench.analysis.metrics import ComparisonMetric, Scale
from solrbench.stats.tests import (
    DifferenceEstimate,
    RankEstimate,
    StudentEstimate,
    robust_deviation,
)

APART = 5.0
"""Scaled median absolute deviations from the median of its side beyond which a repeat is apart."""

MIN_SCALE = 0.01
"""That deviation is taken as at least 1 %: where all are nearly equal, a trifle is not apart."""

MIN_VALUES_FOR_RANKS = 5
"""Values of each side from which on the rank sum can say something at 99 %."""

_MIN_POSITIVE = 1e-9
"""In place of 0 where a logarithm is taken."""


@dataclass(frozen=True)
class RepeatValue:
    """The value of a figure in one repeat.

    Attributes:
        repeat: number of the repeat; those of both sides with one number are a round, if the sides
            were measured in rounds
        target: what it was measured on; equal texts are one target
        value: the figure, in the unit of its metric
    """

    repeat: int
    target: str
    value: float


@dataclass(frozen=True)
class MetricDifference:
    """How far a figure of two sides is apart.

    Attributes:
        metric: the figure
        before: its mean over the repeats of the baseline: geometric, if ratios are compared
        after: the same of the other side
        repeats: repeats of both sides that count
        centre: the difference, of logarithms if ratios are compared
        estimate: what is known of it; None if a side has one value only
        on_target: a side has one target only, so the difference is known for it alone
        apart: repeats far from the others of their side, for which ranks were compared
    """

    metric: ComparisonMetric
    before: float
    after: float
    repeats: tuple[int, int]
    centre: float
    estimate: DifferenceEstimate | None
    on_target: bool = False
    apart: int = 0


def compare_metrics(
    metric: ComparisonMetric,
    before: Sequence[RepeatValue],
    after: Sequence[RepeatValue],
    *,
    in_rounds: bool,
) -> MetricDifference | None:
    """Return the difference of two sides, None if one of them has no figure.

    Args:
        metric: the figure
        before: figures of the baseline
        after: figures of what is compared with it
        in_rounds: the repeats with one number were measured in one round, in turn or at random:
            what slows down a round hits both sides. Only repeats that both sides have count then.
            It is a matter of the design, not to be chosen after a look at the figures.
    """
    if in_rounds:
        before, after = _common(before, after), _common(after, before)
    if not before or not after:
        return None
    on_target = any(
        len({repeat_value.target for repeat_value in side}) == 1 for side in (before, after)
    )
    left, right = (
        _sample(metric, side, keys)
        for side, keys in zip(
            (before, after), _keys(before, after, in_rounds, on_target), strict=True
        )
    )
    apart = _count_outliers(left) + _count_outliers(right)
    estimate = _estimate(left, right, in_rounds=in_rounds, by_ranks=apart > 0)
    return MetricDifference(
        metric,
        _unscaled(metric, fmean(left)),
        _unscaled(metric, fmean(right)),
        (len(before), len(after)),
        fmean(right) - fmean(left) if estimate is None else estimate.centre,
        estimate,
        on_target,
        apart,
    )


def _common(side: Sequence[RepeatValue], other: Sequence[RepeatValue]) -> list[RepeatValue]:
    """Return the figures of the rounds that both sides have, in their order."""
    rounds = {repeat_value.repeat for repeat_value in other}
    return sorted(
        (repeat_value for repeat_value in side if repeat_value.repeat in rounds),
        key=lambda repeat_value: repeat_value.repeat,
    )


def _keys(
    before: Sequence[RepeatValue],
    after: Sequence[RepeatValue],
    in_rounds: bool,
    on_target: bool,
) -> tuple[list[Hashable], list[Hashable]]:
    """Return for each figure what its mean is made over: its target, else only itself."""
    if on_target:
        return list(range(len(before))), list(range(len(after)))
    if in_rounds:
        pairs: list[Hashable] = [(a.target, b.target) for a, b in zip(before, after, strict=True)]
        return pairs, pairs
    return [repeat_value.target for repeat_value in before], [
        repeat_value.target for repeat_value in after
    ]


def _sample(
    metric: ComparisonMetric, side: Sequence[RepeatValue], keys: Sequence[Hashable]
) -> tuple[float, ...]:
    values: dict[Hashable, list[float]] = {}
    for each, key in zip(side, keys, strict=True):
        values.setdefault(key, []).append(_scaled(metric, each.value))
    return tuple(fmean(each) for each in values.values())


def _count_outliers(values: Sequence[float]) -> int:
    """Return how many values are far from the others of their side."""
    if len(values) < MIN_VALUES_FOR_RANKS:
        return 0
    reach = APART * robust_deviation(values, MIN_SCALE)
    centre = median(values)
    return sum(abs(value - centre) > reach for value in values)


def _estimate(
    left: tuple[float, ...], right: tuple[float, ...], *, in_rounds: bool, by_ranks: bool
) -> DifferenceEstimate | None:
    fewest = min(len(left), len(right))
    if fewest < 2:
        return None
    if by_ranks and fewest >= MIN_VALUES_FOR_RANKS:
        return RankEstimate(left, right)
    make = StudentEstimate.paired if in_rounds else StudentEstimate.unpaired
    return make(left, right)


def _scaled(metric: ComparisonMetric, value: float) -> float:
    return math.log(max(value, _MIN_POSITIVE)) if metric.scale is Scale.RATIO else value


def _unscaled(metric: ComparisonMetric, value: float) -> float:
    return math.exp(value) if metric.scale is Scale.RATIO else value
