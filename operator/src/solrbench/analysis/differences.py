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
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from solrbench.analysis.metrics import (
    MIN_REPEATS,
    MIN_VALUES_FOR_RANKS,
    SMALLEST_POINTS,
    ComparisonMetric,
    Difference,
    Scale,
)
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.stats.distributions import t_quantile
from solrbench.stats.series import robust_deviation
from solrbench.stats.tests import (
    Adjustment,
    DifferenceEstimate,
    Looks,
    RankEstimate,
    StudentEstimate,
    benjamini_hochberg,
    holm,
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

MIN_ROUNDS_FOR_SIGNED_RANKS = 8
"""Rounds from which on their signed ranks can say something at 99 %; of fewer the rank sum can."""

CHANGE_DEVIATIONS = 1.645
"""How far repeats must be alike with the next ones to be more than chance: 5 % one-sided."""

_MIN_POSITIVE = 1e-9
"""In place of 0 where a logarithm is taken."""

_MAX_LOGARITHM = math.log(10**12)
"""Two repeats that contradict each other can have an interval beyond all numbers."""

_PROPOSED = (1, 2, 3, 5, 10, 20, 50)
"""Further repeats that are proposed; the estimate is good for no finer ones."""


@dataclass(frozen=True)
class ComparisonRule:
    """What counts as a difference, and after which repeats this very comparison was looked at.

    Without looks, the comparison did not decide how many repeats there are; then the tests need not
    allow for looks, even if something else decided it.
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
    texts are one target. `error` is the standard error of the logarithm of `value` by the time
    blocks of the repeat; 0 if it is not known, or shares are compared.
    """

    repeat: int
    target: str
    value: float
    error: float = 0.0


def estimate_difference(
    metric: ComparisonMetric,
    baseline: Sequence[RepeatValue],
    candidate: Sequence[RepeatValue],
    *,
    in_rounds: bool = False,
) -> Difference | None:
    """Return the difference of two sides without a conclusion; None if one of them has no value.

    With `in_rounds`, the repeats with one number were measured in one round, in turn or at random:
    what slows down a round hits both sides. Only repeats that both sides have count then. It is a
    matter of the design, not to be chosen after a look at the values.

    Sides that were measured apart differ by what the machine did in between, too. Where repeats
    that follow each other are alike, by a trend or slow noise, each side is worth one value only.
    """
    if in_rounds:
        baseline, candidate = _in_common(baseline, candidate), _in_common(candidate, baseline)
    if not baseline or not candidate:
        return None
    on_target = any(len({each.target for each in side}) == 1 for side in (baseline, candidate))
    keys: tuple[Sequence[Hashable], Sequence[Hashable]]
    if on_target:
        # There is no sample of targets: repeats are all there is to know of this one.
        keys = range(len(baseline)), range(len(candidate))
    elif in_rounds:
        # A pair of targets is the unit: it keeps the sides of a round together.
        pairs = [(a.target, b.target) for a, b in zip(baseline, candidate, strict=True)]
        keys = pairs, pairs
    else:
        keys = [each.target for each in baseline], [each.target for each in candidate]
    left, right = sample(metric, baseline, keys[0]), sample(metric, candidate, keys[1])
    fewest = min(len(left), len(right))
    has_changed = not in_rounds and fewest >= MIN_VALUES_FOR_RANKS and _has_changed(left, right)
    test: DifferenceEstimate | None = None
    by_means: DifferenceEstimate | None = None
    if fewest >= 2 and min(len(baseline), len(candidate)) >= MIN_REPEATS:
        student = StudentEstimate.paired if in_rounds else StudentEstimate.unpaired
        least = [_block_variance(baseline, keys[0]), _block_variance(candidate, keys[1])]
        test = student(left, right, least)
        if has_changed:
            # Then each side is worth one value.
            widened = (each._replace(variance=each.variance * each.size) for each in test.variances)
            test = StudentEstimate(test.centre, tuple(widened))
        elif ranks := _find_ranks(left, right, in_rounds=in_rounds):
            test, by_means = ranks, test
    return Difference(
        metric,
        metric_value_of(metric, left),
        metric_value_of(metric, right),
        on_scale(metric, fmean(right) - fmean(left) if test is None else test.centre),
        on_target=on_target,
        has_changed=has_changed,
        repeats=(len(baseline), len(candidate)),
        test=test,
        by_means=by_means,
    )


def _find_ranks(
    left: Sequence[float], right: Sequence[float], *, in_rounds: bool
) -> RankEstimate | None:
    """Return the estimate by ranks if values are far from the others, and there are enough.

    An outlier would widen Student's t until it neither shows nor excludes a difference.
    """
    fewest = min(len(left), len(right))
    # What slows down a round is far from the others on both sides, and cancels out.
    apart = [[b - a for a, b in zip(left, right, strict=True)]] if in_rounds else [left, right]
    if fewest < MIN_VALUES_FOR_RANKS or all(len(_without_outliers(e)) == len(e) for e in apart):
        return None
    has_signed_ranks = in_rounds and fewest >= MIN_ROUNDS_FOR_SIGNED_RANKS
    return (RankEstimate.paired if has_signed_ranks else RankEstimate.unpaired)(left, right)


def _block_variance(side: Sequence[RepeatValue], keys: Sequence[Hashable]) -> float:
    """Return the mean variance that a value of the `sample` has by the time blocks of its repeats.

    Few repeats may be alike by chance, as those of a p95 between two modes of the times are.
    """
    sizes = Counter(keys)
    squares = ((each.error / sizes[key]) ** 2 for each, key in zip(side, keys, strict=True))
    return sum(squares) / len(sizes)


def _in_common(side: Sequence[RepeatValue], other: Sequence[RepeatValue]) -> list[RepeatValue]:
    """Return the values of the rounds that both sides have, in their order."""
    rounds = {each.repeat for each in other}
    kept = (each for each in side if each.repeat in rounds)
    return sorted(kept, key=lambda each: each.repeat)


def sample(
    metric: ComparisonMetric, side: Sequence[RepeatValue], keys: Sequence[Hashable] | None = None
) -> tuple[float, ...]:
    """Return the values, logarithms if ratios are compared; those with one key are averaged."""
    values: dict[Hashable, list[float]] = {}
    for each, key in zip(side, range(len(side)) if keys is None else keys, strict=True):
        is_ratio = metric.scale is Scale.RATIO
        scaled = math.log(max(each.value, _MIN_POSITIVE)) if is_ratio else each.value
        values.setdefault(key, []).append(scaled)
    return tuple(map(fmean, values.values()))


def metric_value_of(metric: ComparisonMetric, values: Sequence[float]) -> float:
    """Return the mean of a `sample` in the unit of the metric: for ratios the geometric one."""
    return math.exp(fmean(values)) if metric.scale is Scale.RATIO else fmean(values)


def on_scale(metric: ComparisonMetric, difference: float) -> float:
    """Return a difference of samples in the unit of `Difference.estimate`."""
    if metric.scale is Scale.POINTS:
        return difference
    return 100 * math.expm1(min(difference, _MAX_LOGARITHM))


def _has_changed(*sides: Sequence[float]) -> bool:
    """Say whether values are nearer to the next ones of their side than chance makes them.

    Of ranks, the ratio of squared steps to squared deviations is 2 where values are independent,
    and less after a trend or with slow noise (Bartels, The rank version of von Neumann's ratio test
    for randomness, 1982). Outliers do not count: a cold first repeat is no trend.
    """
    kept = [*map(_without_outliers, sides)]
    total, ratio, variance = sum(map(len, kept)), 0.0, 0.0
    for side in kept:
        n = len(side)
        ranks = [sum(other < value for other in side) for value in side]
        squares = sum((rank - fmean(ranks)) ** 2 for rank in ranks)
        if not squares:
            return False
        ratio += n / total * sum((b - a) ** 2 for a, b in pairwise(ranks)) / squares
        of_side = 4 * (n - 2) * (5 * n**2 - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
        variance += (n / total) ** 2 * of_side
    return ratio < 2 - CHANGE_DEVIATIONS * math.sqrt(variance)


def _without_outliers(values: Sequence[float]) -> list[float]:
    limit = OUTLIER_DEVIATIONS * robust_deviation(values, MIN_SCALE)
    centre = median(values)
    return [value for value in values if abs(value - centre) <= limit]


def correct(
    differences: Sequence[Difference], rule: ComparisonRule, adjust: Adjustment, family: int
) -> Iterator[tuple[float, float]]:
    """Yield the p values of `Same` and of a difference, for those that have a test.

    Both are corrected for the looks of each difference and for the family of all.
    """
    same, different = [], []
    for difference in differences:
        if difference.test is not None:
            test, margin = difference.test, rule.margin(difference.metric)
            share = rule.share(difference.repeats[1], family)
            p_same = max(test.p_above(-margin), test.p_below(margin))
            p_different = 2 * min(test.p_above(0.0), test.p_below(0.0))
            # Before the first look nothing may be spent, and so nothing is concluded.
            same.append(min(p_same / share, 1.0) if share else 1.0)
            different.append(min(p_different / share, 1.0) if share else 1.0)
    return zip(adjust(same), adjust(different), strict=True)


def conclude(p_same: float, p_different: float, *, is_improvement: bool) -> Conclusion:
    """Return the conclusion; both p values are corrected for the family and for repeated looks.

    As `Same` is asked first, equal sides that look significantly different by a trifle are not
    called different.
    """
    if p_same <= EQUIVALENCE_LEVEL:
        return Conclusion.SAME
    if p_different <= DIFFERENCE_LEVEL:
        return Conclusion.BETTER if is_improvement else Conclusion.WORSE
    return Conclusion.INCONCLUSIVE


def conclude_primary(differences: Sequence[Difference], rule: ComparisonRule) -> list[Difference]:
    """Return the conclusions on one metric of each point: of all, hardly ever one is false."""
    return _conclude_all(differences, rule, holm, family=len(differences))


def conclude_details(differences: Sequence[Difference], rule: ComparisonRule) -> list[Difference]:
    """Return the conclusions on further metrics, all that are shown: of these, few are false."""
    return _conclude_all(differences, rule, benjamini_hochberg, family=1)


def _conclude_all(
    differences: Sequence[Difference], rule: ComparisonRule, adjust: Adjustment, family: int
) -> list[Difference]:
    differences = [_with_test_that_can_decide(each, rule, family) for each in differences]
    corrected = correct(differences, rule, adjust, family)
    concluded = []
    for each in differences:
        if each.test is None:
            concluded.append(each)
            continue
        is_improvement = (each.test.centre < 0) == each.metric.is_lower_better
        conclusion = conclude(*next(corrected), is_improvement=is_improvement)
        # The interval lies within the margins exactly if both one-sided tests of `Same` hold.
        level = 2 * EQUIVALENCE_LEVEL * rule.share(each.repeats[1], family)
        bounds = each.test.interval(level / family) if level else None
        interval = None
        if bounds is not None:
            interval = on_scale(each.metric, bounds.lower), on_scale(each.metric, bounds.upper)
        has_changed = conclusion is Conclusion.INCONCLUSIVE and each.has_changed
        is_open = conclusion is Conclusion.INCONCLUSIVE and not each.has_changed
        more = _more_repeats(each, each.test, rule, family) if is_open else None
        decided = replace(each, conclusion=conclusion, interval=interval, more_repeats=more)
        concluded.append(replace(decided, has_changed=has_changed, test=None, by_means=None))
    return concluded


def _with_test_that_can_decide(
    difference: Difference, rule: ComparisonRule, family: int
) -> Difference:
    """Return a difference by means if no ranks of so few repeats reach the level of the family.

    Five repeats of each side have a p value of 0.8 % at least: in a family of two, sides would not
    differ however far they are apart. Which test it is follows from the numbers of repeats and of
    the family, not from the values. Outliers make Student's t too wide, not too narrow.
    """
    test, by_means = difference.test, difference.by_means
    share = rule.share(difference.repeats[1], family) / family
    if isinstance(test, RankEstimate) and by_means and test.least_p > DIFFERENCE_LEVEL * share:
        return replace(
            difference, test=by_means, estimate=on_scale(difference.metric, by_means.centre)
        )
    return difference


def _more_repeats(
    difference: Difference, test: DifferenceEstimate, rule: ComparisonRule, family: int
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
