"""Axes that act together: what two or three values do beyond the effects that each has alone."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log1p
from operator import mul
from statistics import fmean
from typing import NamedTuple

from solrbench.analysis.differences import (
    ComparisonRule,
    RepeatValue,
    conclude_primary,
    metric_value_of,
    on_scale,
    sample,
)
from solrbench.analysis.metrics import MIN_REPEATS, ComparisonMetric, Difference, Scale
from solrbench.stats.tests import StudentEstimate, sample_variance
from solrbench.sweep.differences import MeasuredCondition, MeasuredPoint
from solrbench.sweep.points import Values

_MAX_AXES = 3


class Interaction(NamedTuple):
    """Values of two or three axes, and how far they together are from what each alone gives."""

    values: Values
    difference: Difference


class _Contrast(NamedTuple):
    """The points of a contrast, the first one with all values; their signs are 1 or -1."""

    values: Values
    points: Sequence[MeasuredPoint]
    signs: Sequence[int]


def find_interactions(
    conditions: Sequence[MeasuredCondition], metric: ComparisonMetric, rule: ComparisonRule
) -> list[Interaction]:
    """Return, for each two axes that are crossed, the values that act together most.

    The contrast of two values is ln y(a, b) - ln y(a) - ln y(b) + ln y(baseline), 0 if either has
    the same effect whatever the other is (Montgomery, Design and Analysis of Experiments, 5.1); of
    three that of the third one's two contrasts, of which only the strongest is returned. A setting
    and a condition come first, then two settings, then three axes; conditions alone are nothing to
    choose.
    """
    base = conditions[0].baseline if conditions else None
    if base is None:
        return []
    given = {value.axis for value in conditions[0].values}
    points = [point for condition in conditions for point in condition.measured]
    crossed = [
        each
        for each in _crossed(base, points)
        if not {value.axis for value in each.values} <= given
        and all(point.is_valid for point in each.points)
        and all(_in_common(each.points))
    ]
    # All contrasts are one family, as those that are not shown were candidates for the strongest.
    differences = conclude_primary([_contrast(metric, each) for each in crossed], rule)
    strongest: dict[tuple[str, ...], Interaction] = {}
    for contrast, difference in zip(crossed, differences, strict=True):
        names = tuple(value.axis for value in contrast.values)
        axes = names if len(names) < _MAX_AXES else ()
        known = strongest.get(axes)
        if known is None or _size(difference) > _size(known.difference):
            strongest[axes] = Interaction(contrast.values, difference)

    places = {value.axis: place for place, value in enumerate(base.values)}

    def order(found: Interaction) -> tuple[int, bool, list[int]]:
        axes = [value.axis for value in found.values]
        return len(axes), given.isdisjoint(axes), [places[axis] for axis in axes]

    return sorted(strongest.values(), key=order)


def _size(difference: Difference) -> float:
    """Return the size of a ratio, in which half as much and twice as much are equally far."""
    if difference.metric.scale is Scale.POINTS:
        return abs(difference.estimate)
    return abs(log1p(difference.estimate / 100))


def _crossed(base: MeasuredPoint, points: Sequence[MeasuredPoint]) -> Iterator[_Contrast]:
    """Yield the points that change two or three axes of which all parts are measured, too."""
    known = {tuple(value.index for value in each.values): each for each in points}
    usual = tuple(value.index for value in base.values)
    for key, point in known.items():
        changed = [place for place in range(len(key)) if key[place] != usual[place]]
        if not 2 <= len(changed) <= _MAX_AXES:
            continue
        of_contrast, signs = list[MeasuredPoint](), list[int]()
        parts = (part for n in range(len(changed), -1, -1) for part in combinations(changed, n))
        for part in parts:
            values = tuple(key[p] if p in part else usual[p] for p in range(len(key)))
            if values not in known:
                break
            of_contrast.append(known[values])
            signs.append((-1) ** (len(changed) - len(part)))
        else:
            shown = tuple(point.values[place] for place in changed)
            yield _Contrast(shown, of_contrast, signs)


def _contrast(metric: ComparisonMetric, contrast: _Contrast) -> Difference:
    points, signs = contrast.points, contrast.signs
    samples = [sample(metric, repeats) for repeats in _in_common(points)]
    varying: list[Sequence[float]] = [*samples]
    if all(point.in_rounds for point in points):
        varying = [[sum(map(mul, signs, round_)) for round_ in zip(*samples, strict=True)]]
    centre = sum(map(mul, signs, map(fmean, samples)))
    known = all(len(values) >= MIN_REPEATS for values in varying)
    fewest = min(len(values) for values in samples[1:])
    return Difference(
        metric,
        None,
        metric_value_of(metric, samples[0]),
        on_scale(metric, centre),
        repeats=(fewest, len(samples[0])),
        on_target=len({point.target for point in points}) > 1,
        # Ranks of many samples have no test, so a repeat far from the others widens the interval.
        test=StudentEstimate(centre, tuple(map(sample_variance, varying))) if known else None,
    )


def _in_common(points: Sequence[MeasuredPoint]) -> list[list[RepeatValue]]:
    """Return the values of each point, in rounds those of the rounds that all of them have."""
    if not all(point.in_rounds for point in points):
        return [[*point.repeats] for point in points]
    rounds = set.intersection(*({each.repeat for each in point.repeats} for point in points))
    return [[each for each in point.repeats if each.repeat in rounds] for point in points]
