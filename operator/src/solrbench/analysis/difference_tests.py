"""The word on each difference: `Same` first, then `Better` or `Worse`, else `Unclear`.

`Same` is two one-sided tests against the smallest effect that matters (Schuirmann, A comparison of
the two one-sided tests procedure and the power approach, 1987), `Better` and `Worse` a two-sided
test against no difference. As `Same` is asked first, equal sides that look significantly different
by a trifle are not called different.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.status.comparison_word import MORE_THAN_50, Word
from solrbench.results.comparison.corrections import Correction, benjamini_hochberg, holm
from solrbench.results.comparison.estimates import DifferenceEstimate
from solrbench.results.comparison.looks import Looks
from solrbench.results.comparison.metric import SMALLEST_POINTS, Scale
from solrbench.results.comparison.side_difference import SideDifference
from solrbench.results.stats.intervals import Interval
from solrbench.results.stats.quantiles import t_quantile

DIFFERENCE_LEVEL = 0.01
"""Two-sided level of `Better` and `Worse`."""

EQUIVALENCE_LEVEL = 0.025
"""One-sided level of `Same`. With the usual 5 %, an effect equal to the smallest that matters would
be `Same` in one of twenty cases."""

SMALLEST_EFFECT_PERCENT = 5.0

_PROPOSED = (1, 2, 3, 5, 10, 20, 50)
"""Further repeats that are proposed; the estimate is good for no finer ones."""


@dataclass(frozen=True)
class Rule:
    """How words are found.

    Attributes:
        smallest_effect_percent: difference that matters, of figures that are compared by ratio
        looks: after which repeats one looks; None if their number was set beforehand

    """

    smallest_effect_percent: float = SMALLEST_EFFECT_PERCENT
    looks: Looks | None = None

    def margin(self, difference: SideDifference) -> float:
        """Return the difference that matters, on the scale of the metric."""
        if difference.metric.scale is Scale.POINTS:
            return SMALLEST_POINTS
        return math.log1p(self.smallest_effect_percent / 100)

    def share(self, repeats: int, family: int) -> float:
        """Return the share of a level that may be spent after so many repeats."""
        return 1.0 if self.looks is None else self.looks.share(repeats, family)


DEFAULT_RULE = Rule()


@dataclass(frozen=True)
class Finding:
    """A difference and the word on it.

    Attributes:
        difference: what the word is on
        word: None if a side has one repeat only, which no word is made of
        interval: holds the true difference in 95 of 100 cases, of the whole family and of all looks
        more_repeats: about how many more repeats of each side would decide it, if `Unclear`;
            `MORE_THAN_50` for more than 50

    """

    difference: SideDifference
    word: Word | None
    interval: Interval | None = None
    more_repeats: int | None = None

    @property
    def percent(self) -> float:
        """Return the difference in per cent of the baseline, or in percentage points."""
        return self._shown(self.difference.centre)

    @property
    def interval_percent(self) -> Interval | None:
        """Return the interval in the unit of `percent`."""
        if self.interval is None:
            return None
        return Interval(self._shown(self.interval.lower), self._shown(self.interval.upper))

    @property
    def is_decided(self) -> bool:
        """Say whether more repeats are of no use."""
        return self.word in (Word.SAME, Word.BETTER, Word.WORSE)

    def _shown(self, value: float) -> float:
        if self.difference.metric.scale is Scale.POINTS:
            return value
        return 100 * math.expm1(min(value, _HIGHEST))


_HIGHEST = math.log(10**12)
"""Two repeats that contradict each other can have an interval beyond all numbers."""


def is_decided(findings: Sequence[Finding]) -> bool:
    """Say whether every figure has a word, so that no further repeat is needed."""
    return all(each.is_decided for each in findings)


def decide_primary(differences: Sequence[SideDifference], rule: Rule) -> list[Finding]:
    """Return the words on one figure for each point: of all, hardly ever one is false (Holm)."""
    return _decide(differences, rule, holm, family=len(differences))


def decide_details(differences: Sequence[SideDifference], rule: Rule) -> list[Finding]:
    """Return the words on figures below those: of those said, few are false.

    By Benjamini and Hochberg; meant for points whose primary figure has a word.
    """
    return _decide(differences, rule, benjamini_hochberg, family=1)


def _decide(
    differences: Sequence[SideDifference], rule: Rule, correction: Correction, family: int
) -> list[Finding]:
    tested = [
        _Tested(each, each.estimate, rule, family)
        for each in differences
        if each.estimate is not None
    ]
    same = correction([each.same_p for each in tested], EQUIVALENCE_LEVEL)
    different = correction([each.different_p for each in tested], DIFFERENCE_LEVEL)
    decided = iter(map(_Tested.finding, tested, same, different))
    return [Finding(each, None) if each.estimate is None else next(decided) for each in differences]


@dataclass(frozen=True)
class _Tested:
    """The tests of one difference; their p values are those of a test without looks."""

    difference: SideDifference
    estimate: DifferenceEstimate
    rule: Rule
    family: int

    @property
    def same_p(self) -> float:
        margin = self.rule.margin(self.difference)
        return self._spent(max(self.estimate.p_above(-margin), self.estimate.p_below(margin)))

    @property
    def different_p(self) -> float:
        return self._spent(2 * min(self.estimate.p_above(0.0), self.estimate.p_below(0.0)))

    def finding(self, same: bool, different: bool) -> Finding:
        """Return the word, given which tests hold."""
        word = Word.SAME if same else self._direction() if different else Word.UNCLEAR
        level = 2 * EQUIVALENCE_LEVEL * self._share(0)
        return Finding(
            self.difference,
            word,
            self.estimate.interval(level / self.family) if level else None,
            self._more_repeats() if word is Word.UNCLEAR else None,
        )

    def _direction(self) -> Word:
        is_lower = self.estimate.centre < 0
        return Word.BETTER if is_lower == self.difference.metric.is_lower_better else Word.WORSE

    def _spent(self, p: float) -> float:
        share = self._share(0)
        return min(p / share, 1.0) if share else 1.0

    def _share(self, more: int) -> float:
        return self.rule.share(self.difference.repeats[1] + more, self.family)

    def _more_repeats(self) -> int:
        """Return the least number of `_PROPOSED` that would decide it, if nothing else changed."""
        return next((more for more in _PROPOSED if self._would_decide(more)), MORE_THAN_50)

    def _would_decide(self, more: int) -> bool:
        share = self._share(more) / self.family
        if not share:
            return False
        error, degrees = self.estimate.precision(more)
        away = abs(self.estimate.centre)
        return (
            t_quantile(DIFFERENCE_LEVEL * share, degrees) * error <= away
            or t_quantile(2 * EQUIVALENCE_LEVEL * share, degrees) * error
            <= self.rule.margin(self.difference) - away
        )
