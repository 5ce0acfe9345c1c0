"""From the values of single repeats to a conclusion: estimate, correct, conclude.

Every comparison goes these three steps, whatever is compared: variants, a benchmark with its
baseline, points of a sweep.

1. `estimate_difference`: two samples of repeats become a difference with its error. The sample must
   be of the level that the question is about. Repeats on one warm target differ less than two
   targets do: taken as a sample of targets, they call equal ones different in 69 to 95 of 100
   cases. So where repeats share targets, the values of one target are averaged and targets are the
   sample; where a side has one target only, the difference is known for that target and says so.
2. `correct`: p values are corrected for repeated looks and for the family that is decided together.
3. `conclude`: `Same` is two one-sided tests against the smallest effect that matters (Schuirmann,
   A comparison of the two one-sided tests procedure and the power approach, 1987), `Better` and
   `Worse` a two-sided test against no difference.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from solrbench.analysis.metrics import SMALLEST_POINTS, ComparisonMetric, Difference, Scale
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.stats.distributions import t_quantile
from solrbench.stats.tests import (
    Adjustment,
    DifferenceEstimate,
    Looks,
    RankEstimate,
    StudentEstimate,
    benjamini_hochberg,
    holm,
    robust_deviation,
)

DIFFERENCE_LEVEL = 0.01
"""Two-sided level of `Better` and `Worse`."""

EQUIVALENCE_LEVEL = 0.025
"""One-sided level of `Same`. With the usual 5 %, an effect equal to the smallest that matters would
be `Same` in one of twenty cases."""

SMALLEST_EFFECT_PERCENT = 5.0

OUTLIER_DEVIATIONS = 5.0
"""Scaled median absolute deviations from the median of its side beyond which a repeat is one."""

MIN_SCALE = 0.01
"""That deviation is taken as at least 1 %: where all are nearly equal, a trifle is no outlier."""

MIN_VALUES_FOR_RANKS = 5
"""Values of each side from which on the rank sum can say something at 99 %."""

_MIN_POSITIVE = 1e-9
"""In place of 0 where a logarithm is taken."""

_MAX_LOGARITHM = math.log(10**12)
"""Two repeats that contradict each other can have an interval beyond all numbers."""

_PROPOSED = (1, 2, 3, 5, 10, 20, 50)
"""Further repeats that are proposed; the estimate is good for no finer ones."""


@dataclass(frozen=True)
class ComparisonRule:
    """What counts as a difference, and after which repeats this very comparison was looked at.

    Attributes:
        looks: None if the comparison did not decide how many repeats there are; then the tests
            need not allow for looks, even if something else decided it
    """

    smallest_effect_percent: float = SMALLEST_EFFECT_PERCENT
    looks: Looks | None = None

    def margin(self, metric: ComparisonMetric) -> float:
        """Return the difference that matters, on the scale of the metric."""
        if metric.scale is Scale.POINTS:
            return SMALLEST_POINTS
        return math.log1p(self.smallest_effect_percent / 100)

    def share(self, repeats: int, family: int) -> float:
        """Return the share of a level that may be spent after so many repeats."""
        return 1.0 if self.looks is None else self.looks.share(repeats, family)


DEFAULT_RULE = ComparisonRule()


@dataclass(frozen=True)
class RepeatValue:
    """The value of a metric in one repeat, in the unit of the metric.

    Repeats of both sides with one number are a round, if the sides were measured in rounds; equal
    texts are one target.
    """

    repeat: int
    target: str
    value: float


@dataclass(frozen=True)
class EstimatedDifference:
    """A difference on the scale of its metric: of logarithms, if ratios are compared.

    Attributes:
        baseline: mean of the values, as `Difference.baseline`
        test: None if a side has one value only
        outliers: repeats far from the others of their side, for which ranks were compared
    """

    metric: ComparisonMetric
    baseline: float
    candidate: float
    repeats: tuple[int, int]
    centre: float
    test: DifferenceEstimate | None
    on_target: bool = False
    outliers: int = 0

    def concluded(
        self,
        conclusion: Conclusion | None = None,
        interval: tuple[float, float] | None = None,
        more_repeats: int | None = None,
    ) -> Difference:
        """Return the difference as it is shown; without arguments one of which nothing is known."""
        return Difference(
            self.metric,
            self.baseline,
            self.candidate,
            self._shown(self.centre),
            None if interval is None else (self._shown(interval[0]), self._shown(interval[1])),
            conclusion,
            more_repeats,
            self.on_target,
            self.repeats,
        )

    def _shown(self, value: float) -> float:
        if self.metric.scale is Scale.POINTS:
            return value
        return 100 * math.expm1(min(value, _MAX_LOGARITHM))


def estimate_difference(
    metric: ComparisonMetric,
    baseline: Sequence[RepeatValue],
    candidate: Sequence[RepeatValue],
    *,
    in_rounds: bool = False,
) -> EstimatedDifference | None:
    """Return the difference of two sides, None if one of them has no value.

    With `in_rounds`, the repeats with one number were measured in one round, in turn or at random:
    what slows down a round hits both sides. Only repeats that both sides have count then. It is a
    matter of the design, not to be chosen after a look at the values.
    """
    if in_rounds:
        baseline, candidate = _in_common(baseline, candidate), _in_common(candidate, baseline)
    if not baseline or not candidate:
        return None
    on_target = any(len({each.target for each in side}) == 1 for side in (baseline, candidate))
    keys: tuple[Sequence[Hashable], Sequence[Hashable]]
    if on_target:
        keys = range(len(baseline)), range(len(candidate))
    elif in_rounds:
        # A pair of targets is the unit: it keeps the sides of a round together.
        pairs = [(a.target, b.target) for a, b in zip(baseline, candidate, strict=True)]
        keys = pairs, pairs
    else:
        keys = [each.target for each in baseline], [each.target for each in candidate]
    left, right = sample(metric, baseline, keys[0]), sample(metric, candidate, keys[1])
    outliers = _count_outliers(left) + _count_outliers(right)
    fewest = min(len(left), len(right))
    test: DifferenceEstimate | None = None
    if outliers and fewest >= MIN_VALUES_FOR_RANKS:
        test = RankEstimate(left, right)
    elif fewest >= 2:
        make = StudentEstimate.paired if in_rounds else StudentEstimate.unpaired
        test = make(left, right)
    return EstimatedDifference(
        metric,
        metric_value_of(metric, left),
        metric_value_of(metric, right),
        (len(baseline), len(candidate)),
        fmean(right) - fmean(left) if test is None else test.centre,
        test,
        on_target,
        outliers,
    )


def _in_common(side: Sequence[RepeatValue], other: Sequence[RepeatValue]) -> list[RepeatValue]:
    """Return the values of the rounds that both sides have, in their order."""
    rounds = {each.repeat for each in other}
    kept = (each for each in side if each.repeat in rounds)
    return sorted(kept, key=lambda each: each.repeat)


def sample(
    metric: ComparisonMetric, side: Sequence[RepeatValue], keys: Sequence[Hashable] | None = None
) -> tuple[float, ...]:
    """Return the values on the scale of the metric, those with one key averaged."""
    values: dict[Hashable, list[float]] = {}
    for each, key in zip(side, range(len(side)) if keys is None else keys, strict=True):
        is_ratio = metric.scale is Scale.RATIO
        scaled = math.log(max(each.value, _MIN_POSITIVE)) if is_ratio else each.value
        values.setdefault(key, []).append(scaled)
    return tuple(map(fmean, values.values()))


def metric_value_of(metric: ComparisonMetric, scaled: Sequence[float]) -> float:
    """Return the mean of a `sample` in the unit of the metric: for ratios the geometric one."""
    return math.exp(fmean(scaled)) if metric.scale is Scale.RATIO else fmean(scaled)


def _count_outliers(values: Sequence[float]) -> int:
    # Of fewer values, ranks say nothing at the levels that are used.
    if len(values) < MIN_VALUES_FOR_RANKS:
        return 0
    limit = OUTLIER_DEVIATIONS * robust_deviation(values, MIN_SCALE)
    centre = median(values)
    return sum(abs(value - centre) > limit for value in values)


class CorrectedTests(NamedTuple):
    """The p values of both tests, to be compared with the levels of a single test."""

    p_same: float
    p_different: float


def correct(
    tests: Sequence[tuple[EstimatedDifference, DifferenceEstimate]],
    rule: ComparisonRule,
    adjust: Adjustment,
    family: int,
) -> list[CorrectedTests]:
    """Return the p values, corrected for the looks of each difference and for the family of all."""
    same, different = [], []
    for difference, test in tests:
        margin = rule.margin(difference.metric)
        share = rule.share(difference.repeats[1], family)
        p_same = max(test.p_above(-margin), test.p_below(margin))
        p_different = 2 * min(test.p_above(0.0), test.p_below(0.0))
        # Before the first look nothing may be spent, and so nothing is shown.
        same.append(min(p_same / share, 1.0) if share else 1.0)
        different.append(min(p_different / share, 1.0) if share else 1.0)
    return list(map(CorrectedTests, adjust(same), adjust(different)))


def conclude(p_same: float, p_different: float, *, is_improvement: bool) -> Conclusion:
    """Return the conclusion; both p values are corrected for the family and for repeated looks.

    As `Same` is asked first, equal sides that look significantly different by a trifle are not
    called different.
    """
    if p_same <= EQUIVALENCE_LEVEL:
        return Conclusion.SAME
    if p_different <= DIFFERENCE_LEVEL:
        return Conclusion.BETTER if is_improvement else Conclusion.WORSE
    return Conclusion.UNCLEAR


def conclude_primary(
    estimated: Sequence[EstimatedDifference], rule: ComparisonRule
) -> list[Difference]:
    """Return the conclusions on one metric of each point: of all, hardly ever one is false."""
    return _conclude_all(estimated, rule, holm, family=len(estimated))


def conclude_details(
    estimated: Sequence[EstimatedDifference], rule: ComparisonRule
) -> list[Difference]:
    """Return the conclusions on further metrics: of those that are shown, few are false.

    It is meant for points whose primary metric has a conclusion.
    """
    return _conclude_all(estimated, rule, benjamini_hochberg, family=1)


def _conclude_all(
    estimated: Sequence[EstimatedDifference], rule: ComparisonRule, adjust: Adjustment, family: int
) -> list[Difference]:
    tests = [(each, each.test) for each in estimated if each.test is not None]
    corrected = iter(correct(tests, rule, adjust, family))
    concluded = []
    for each in estimated:
        if each.test is None:
            concluded.append(each.concluded())
            continue
        is_improvement = (each.test.centre < 0) == each.metric.is_lower_better
        conclusion = conclude(*next(corrected), is_improvement=is_improvement)
        level = 2 * EQUIVALENCE_LEVEL * rule.share(each.repeats[1], family)
        interval = each.test.interval(level / family) if level else None
        is_unclear = conclusion is Conclusion.UNCLEAR
        more = _more_repeats(each, each.test, rule, family) if is_unclear else None
        concluded.append(each.concluded(conclusion, interval, more))
    return concluded


def _more_repeats(
    difference: EstimatedDifference, test: DifferenceEstimate, rule: ComparisonRule, family: int
) -> int:
    """Return the least number of `_PROPOSED` that would decide it, if nothing else changed."""
    distance = abs(test.centre)
    for more in _PROPOSED:
        share = rule.share(difference.repeats[1] + more, family) / family
        if not share:
            continue
        error, degrees = test.precision(more)
        if (
            t_quantile(DIFFERENCE_LEVEL * share, degrees) * error <= distance
            or t_quantile(2 * EQUIVALENCE_LEVEL * share, degrees) * error
            <= rule.margin(difference.metric) - distance
        ):
            return more
    return MORE_THAN_50
