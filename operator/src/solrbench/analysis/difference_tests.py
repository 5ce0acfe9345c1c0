"""The conclusion on each difference: `Same` first, then `Better` or `Worse`, else `Unclear`.

`Same` is two one-sided tests against the smallest effect that matters (Schuirmann, A comparison of
the two one-sided tests procedure and the power approach, 1987), `Better` and `Worse` a two-sided
test against no difference. As `Same` is asked first, equal sides that look significantly different
by a trifle are not called different. A spec says which metrics are primary and how small an effect
may be; what two specs differ in is listed beside the conclusion.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from solrbench.analysis.differences import MetricDifference
from solrbench.analysis.metrics import (
    AVERAGE,
    RATE,
    SMALLEST_POINTS,
    ComparisonMetric,
    Scale,
    percentile_metric,
)
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.api.v1alpha1.load import DEFAULT_MAX, DEFAULT_MIN
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.stats.distributions import t_quantile
from solrbench.stats.intervals import ConfidenceBounds
from solrbench.stats.tests import Correction, DifferenceEstimate, Looks, benjamini_hochberg, holm

DIFFERENCE_LEVEL = 0.01
"""Two-sided level of `Better` and `Worse`."""

EQUIVALENCE_LEVEL = 0.025
"""One-sided level of `Same`. With the usual 5 %, an effect equal to the smallest that matters would
be `Same` in one of twenty cases."""

SMALLEST_EFFECT_PERCENT = 5.0

_PROPOSED = (1, 2, 3, 5, 10, 20, 50)
"""Further repeats that are proposed; the estimate is good for no finer ones."""


@dataclass(frozen=True)
class ComparisonRule:
    """How words are found.

    Attributes:
        smallest_effect_percent: difference that matters, of figures that are compared by ratio
        looks: after which repeats one looks; None if their number was set beforehand
    """

    smallest_effect_percent: float = SMALLEST_EFFECT_PERCENT
    looks: Looks | None = None

    def margin(self, difference: MetricDifference) -> float:
        """Return the difference that matters, on the scale of the metric."""
        if difference.metric.scale is Scale.POINTS:
            return SMALLEST_POINTS
        return math.log1p(self.smallest_effect_percent / 100)

    def share(self, repeats: int, family: int) -> float:
        """Return the share of a level that may be spent after so many repeats."""
        return 1.0 if self.looks is None else self.looks.share(repeats, family)


DEFAULT_RULE = ComparisonRule()


@dataclass(frozen=True)
class ComparisonFinding:
    """A difference and the word on it.

    Attributes:
        difference: what the word is on
        word: None if a side has one repeat only, which no word is made of
        interval: holds the true difference in 95 of 100 cases, of the whole family and of all looks
        more_repeats: about how many more repeats of each side would decide it, if `Unclear`;
            `MORE_THAN_50` for more than 50
    """

    difference: MetricDifference
    word: Conclusion | None
    interval: ConfidenceBounds | None = None
    more_repeats: int | None = None

    @property
    def percent(self) -> float:
        """Return the difference in per cent of the baseline, or in percentage points."""
        return self._shown(self.difference.centre)

    @property
    def interval_percent(self) -> ConfidenceBounds | None:
        """Return the interval in the unit of `percent`."""
        if self.interval is None:
            return None
        return ConfidenceBounds(self._shown(self.interval.lower), self._shown(self.interval.upper))

    @property
    def is_decided(self) -> bool:
        """Say whether more repeats are of no use."""
        return self.word in (Conclusion.SAME, Conclusion.BETTER, Conclusion.WORSE)

    def _shown(self, value: float) -> float:
        if self.difference.metric.scale is Scale.POINTS:
            return value
        return 100 * math.expm1(min(value, _HIGHEST))


_HIGHEST = math.log(10**12)
"""Two repeats that contradict each other can have an interval beyond all numbers."""


def is_decided(findings: Sequence[ComparisonFinding]) -> bool:
    """Say whether every figure has a word, so that no further repeat is needed."""
    return all(finding.is_decided for finding in findings)


def decide_primary(
    differences: Sequence[MetricDifference], rule: ComparisonRule
) -> list[ComparisonFinding]:
    """Return the words on one figure for each point: of all, hardly ever one is false (Holm)."""
    return _decide(differences, rule, holm, family=len(differences))


def decide_details(
    differences: Sequence[MetricDifference], rule: ComparisonRule
) -> list[ComparisonFinding]:
    """Return the words on figures below those: of those said, few are false.

    By Benjamini and Hochberg; meant for points whose primary figure has a word.
    """
    return _decide(differences, rule, benjamini_hochberg, family=1)


def _decide(
    differences: Sequence[MetricDifference],
    rule: ComparisonRule,
    correction: Correction,
    family: int,
) -> list[ComparisonFinding]:
    tested = [
        _Tested(each, each.estimate, rule, family)
        for each in differences
        if each.estimate is not None
    ]
    same = correction([each.same_p for each in tested], EQUIVALENCE_LEVEL)
    different = correction([each.different_p for each in tested], DIFFERENCE_LEVEL)
    decided = iter(map(_Tested.finding, tested, same, different))
    return [
        ComparisonFinding(each, None) if each.estimate is None else next(decided)
        for each in differences
    ]


@dataclass(frozen=True)
class _Tested:
    """The tests of one difference; their p values are those of a test without looks."""

    difference: MetricDifference
    estimate: DifferenceEstimate
    rule: ComparisonRule
    family: int

    @property
    def same_p(self) -> float:
        margin = self.rule.margin(self.difference)
        return self._spent(max(self.estimate.p_above(-margin), self.estimate.p_below(margin)))

    @property
    def different_p(self) -> float:
        return self._spent(2 * min(self.estimate.p_above(0.0), self.estimate.p_below(0.0)))

    def finding(self, same: bool, different: bool) -> ComparisonFinding:
        """Return the word, given which tests hold."""
        word = Conclusion.SAME if same else self._direction() if different else Conclusion.UNCLEAR
        level = 2 * EQUIVALENCE_LEVEL * self._share(0)
        return ComparisonFinding(
            self.difference,
            word,
            self.estimate.interval(level / self.family) if level else None,
            self._more_repeats() if word is Conclusion.UNCLEAR else None,
        )

    def _direction(self) -> Conclusion:
        is_lower = self.estimate.centre < 0
        return (
            Conclusion.BETTER
            if is_lower == self.difference.metric.is_lower_better
            else Conclusion.WORSE
        )

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


_PERCENTILES = {
    PrimaryMetric.P50: 50.0,
    PrimaryMetric.P90: 90.0,
    PrimaryMetric.P95: 95.0,
    PrimaryMetric.P99: 99.0,
}


@dataclass(frozen=True)
class ComparisonSettings:
    """What is asked of a comparison.

    Attributes:
        rule: how words are found
        primary: the figure of each step that decides about it
    """

    rule: ComparisonRule = DEFAULT_RULE
    primary: PrimaryMetric = PrimaryMetric.P95

    @property
    def percent(self) -> float | None:
        """Return which percentile the primary figure is, None if it is none."""
        return _PERCENTILES.get(self.primary)

    @property
    def metric(self) -> ComparisonMetric:
        """Return the primary figure as a metric."""
        if self.percent is not None:
            return percentile_metric(self.percent)
        return AVERAGE if self.primary is PrimaryMetric.AVERAGE else RATE


def settings_of_spec(spec: Spec) -> ComparisonSettings:
    """Return what a spec asks; of repeats that go on until it is decided, a look after each."""
    comparison, repeats = spec.comparison, spec.load.repeats
    looks = None if repeats.until is None else Looks(repeats.least, repeats.most)
    return ComparisonSettings(
        ComparisonRule(comparison.smallest_effect_percent, looks), comparison.primary
    )


def settings_of_specs(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> ComparisonSettings:
    """Return what to ask about two sides, by their specs as JSON.

    Args:
        before: spec of the baseline
        after: spec of the other side, whose `comparison` counts where nothing else is given
        smallest_effect_percent: the difference that matters
        primary: the figure of each step that decides about it
    """
    wanted = after.get("comparison", {})
    effect = wanted.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
    figure = primary or PrimaryMetric(wanted.get("primary", PrimaryMetric.P95))
    looks = _stored_looks(after) or _stored_looks(before)
    return ComparisonSettings(ComparisonRule(smallest_effect_percent or effect, looks), figure)


def _stored_looks(spec: Mapping[str, Any]) -> Looks | None:
    """Return the looks of repeats that went on until it was decided."""
    repeats = spec.get("load", {}).get("repeats")
    if not isinstance(repeats, Mapping) or "until" not in repeats:
        return None
    return Looks(repeats.get("min", DEFAULT_MIN), repeats.get("max", DEFAULT_MAX))


SETTINGS = ("target", "collection", "podOptions")
"""Parts of a spec whose differences are what is compared."""

DEFINITIONS = ("dataset", "workload", "warmUp", "load.steps", "load.between", "seed")
"""Parts that say what is done: with other documents or requests, other figures mean nothing."""

_MAX_CHARACTERS = 60
"""Of a value that is named."""

_ABSENT = "not set"


def differing(
    before: Mapping[str, Any], after: Mapping[str, Any], parts: Sequence[str], most: int
) -> list[str]:
    """Return the fields of `parts` in which two specs differ, at most `most` lines.

    A line is `collection.shards: 1, then 2`; where there are more, the last one says how many.
    """
    lines = [
        line for part in parts for line in _compare(part, _value(before, part), _value(after, part))
    ]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{len(lines) - most + 1} more"]


def _value(spec: Mapping[str, Any], path: str) -> Any:
    value: Any = spec
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _compare(path: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in [*before, *(each for each in after if each not in before)]:
            yield from _compare(f"{path}.{name}", before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _compare(f"{path}[{index}]", one, other)
    else:
        yield f"{path}: {_text(before)}, then {_text(after)}"


def _text(value: Any) -> str:
    if value is None:
        return _ABSENT
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
