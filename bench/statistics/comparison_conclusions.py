"""How often the conclusion of a comparison is right, on sides whose difference is known.

Repeats are drawn (log-normal, CV and difference known) and go through the product's own
comparison: paired in rounds, one look after every repeat from 5 to 20, as `until: Decided` does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, log1p
from pathlib import Path
from random import Random

from bench.harness.table import Row, at_most, share_row
from solrbench.analysis.differences import (
    DEFAULT_RULE,
    SMALLEST_EFFECT_PERCENT,
    ComparisonRule,
    RepeatValue,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import P95, ComparisonMetric, Difference
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.stats.tests import Looks

LOOKS = Looks(5, 20)
_LEVEL = 100.0
MAX_NEEDED_REPEATS = 60
"""Repeats of a server after which the same is done."""
_MAX_FURTHER = 4 * MORE_THAN_50
"""Repeats after which a comparison without a conclusion is given up."""

RepeatValues = Sequence[RepeatValue]


@dataclass(frozen=True)
class Pair:
    """Two sides, the second one slower; `cv` is the standard deviation of a repeat's logarithm."""

    cv: float
    slower_percent: float
    smallest_effect_percent: float = SMALLEST_EFFECT_PERCENT

    def __str__(self) -> str:
        """Say what is compared."""
        sides = f"{self.slower_percent:g} % slower" if self.slower_percent else "equal"
        return f"{sides}, CV {100 * self.cv:g} %"

    def repeats(self, draw: Random, count: int) -> tuple[RepeatValues, RepeatValues]:
        """Draw the repeats of both sides."""

        def side(shift: float) -> RepeatValues:
            return as_repeats(_LEVEL * exp(shift + draw.gauss(0, self.cv)) for _ in range(count))

        return side(0.0), side(log1p(self.slower_percent / 100))


def as_repeats(values: Iterable[float]) -> RepeatValues:
    """Return values as repeats, each on a target of its own."""
    return [RepeatValue(n, f"target-{n}", value) for n, value in enumerate(values, start=1)]


@dataclass(frozen=True)
class Outcome:
    """The conclusion on a pair and the repeats of each side that it took."""

    conclusion: Conclusion | None
    repeats: int


def find(
    before: RepeatValues, after: RepeatValues, rule: ComparisonRule, metric: ComparisonMetric = P95
) -> Difference:
    """Return what the product says of one figure of two sides measured in rounds."""
    difference = estimate_difference(metric, before, after, in_rounds=True)
    if difference is None:
        raise ValueError("a side has no repeats")
    (found,) = conclude_primary([difference], rule)
    return found


def decide_adaptively(before: RepeatValues, after: RepeatValues, effect_percent: float) -> Outcome:
    """Return the conclusion that `until: Decided` ends with, after 5 to 20 repeats."""
    rule = ComparisonRule(effect_percent, LOOKS)
    for look in range(LOOKS.minimum, LOOKS.maximum + 1):
        found = find(before[:look], after[:look], rule)
        if found.is_decided:
            return Outcome(found.conclusion, look)
    return Outcome(found.conclusion, LOOKS.maximum)


def outcomes(pair: Pair, count: int) -> list[Outcome]:
    """Return the outcomes of `count` pairs; always the same ones."""
    draw = Random(str(pair))
    effect = pair.smallest_effect_percent
    drawn = (pair.repeats(draw, LOOKS.maximum) for _ in range(count))
    return [decide_adaptively(before, after, effect) for before, after in drawn]


def fixed_conclusions(pair: Pair, count: int) -> Counter[Conclusion | None]:
    """Return conclusions of `count` pairs after all repeats, without earlier looks."""
    draw = Random(str(pair))
    rule = ComparisonRule(pair.smallest_effect_percent)
    return Counter(find(*pair.repeats(draw, LOOKS.maximum), rule).conclusion for _ in range(count))


def conclusions(_folder: Path, pairs: int) -> list[Row]:
    """Return how often conclusions are right, their repeats, and what `Inconclusive` proposes."""
    return [
        *(
            row
            for cv in (0.01, 0.02)
            for row in equal_rows(str(Pair(cv, 0)), outcomes(Pair(cv, 0), pairs))
        ),
        _many_looks(Pair(0.05, 0), pairs),
        *(
            worse_row(
                f"{pair}, {pair.smallest_effect_percent:g} % matter", outcomes(pair, pairs), bar
            )
            for pair, bar in ((Pair(0.02, 5), 97), (Pair(0.01, 2, 2), 90))
        ),
        _spared([Pair(cv, slower) for cv in (0.01, 0.02, 0.03) for slower in (0, 5, 10)], pairs),
        *(
            proposed_row(
                f"CV 2 to 5 %, 0 to 10 % slower, after {repeats} repeats",
                list(islice(_inconclusive(repeats), pairs)),
            )
            for repeats in (3, 5, 10)
        ),
    ]


def equal_rows(what: str, found: Sequence[Outcome]) -> list[Row]:
    """Return the bars of equal sides."""
    count = Counter(each.conclusion for each in found)
    wrong = count[Conclusion.BETTER] + count[Conclusion.WORSE]
    mean = sum(each.repeats for each in found) / len(found)
    detail = f"{mean:.1f} repeats on average, at most {max(each.repeats for each in found)}"
    return [
        share_row(f"{what}: neither Better nor Worse", len(found) - wrong, len(found), 99, detail),
        share_row(f"{what}: Same", count[Conclusion.SAME], len(found), 95, detail),
    ]


def _many_looks(pair: Pair, pairs: int) -> Row:
    """Return how often equal sides are called different that are looked at up to the maximum."""
    count = Counter(each.conclusion for each in outcomes(pair, pairs))
    right = pairs - count[Conclusion.BETTER] - count[Conclusion.WORSE]
    detail = f"{count[Conclusion.INCONCLUSIVE]} Inconclusive after {LOOKS.maximum} repeats"
    return share_row(f"{pair}: neither Better nor Worse", right, pairs, 98, detail)


def worse_row(what: str, found: Sequence[Outcome], bar: float) -> Row:
    """Return the bar of sides of which the second is slower."""
    count = Counter(each.conclusion for each in found)
    mean = sum(each.repeats for each in found) / len(found)
    others = ", ".join(
        f"{count[conclusion]} {conclusion}"
        for conclusion in (Conclusion.SAME, Conclusion.INCONCLUSIVE, Conclusion.BETTER)
    )
    detail = f"{others}; {mean:.1f} repeats"
    return share_row(f"{what}: Worse", count[Conclusion.WORSE], len(found), bar, detail)


def mean_repeats_percent(found: Sequence[Outcome]) -> float:
    """Return the mean of repeats, in per cent of the maximum."""
    return 100 * sum(each.repeats for each in found) / len(found) / LOOKS.maximum


def _spared(cells: Sequence[Pair], pairs: int) -> Row:
    """Return the largest mean of repeats, in per cent of the maximum."""
    parts, wrong, fixed_wrong = [], 0, 0
    for pair in cells:
        found = outcomes(pair, pairs)
        parts.append((mean_repeats_percent(found), pair))
        wrong += sum(is_wrong(pair.slower_percent, each.conclusion) for each in found)
        fixed = fixed_conclusions(pair, pairs).items()
        fixed_wrong += sum(number for word, number in fixed if is_wrong(pair.slower_percent, word))
    worst, pair = max(parts, key=lambda each: each[0])
    total = pairs * len(cells)
    return at_most(
        f"repeats beside always {LOOKS.maximum}, CV up to 3 %",
        worst,
        65,
        "{:.1f} %",
        f"{pair}; mean of all {sum(each for each, _ in parts) / len(parts):.0f} %;"
        f" wrong conclusions {wrong} of {total}, with always {LOOKS.maximum} {fixed_wrong}",
    )


def is_wrong(slower_percent: float, conclusion: Conclusion | None) -> bool:
    """Say whether it is false: a direction where there is none, the other one, or `Same`.

    `Same` is false where the difference is as large as the smallest effect.
    """
    if conclusion is Conclusion.SAME:
        return abs(log1p(slower_percent / 100)) >= log1p(SMALLEST_EFFECT_PERCENT / 100) - 1e-9
    return (conclusion is Conclusion.BETTER and slower_percent >= 0) or (
        conclusion is Conclusion.WORSE and slower_percent <= 0
    )


def proposed_row(what: str, cases: Sequence[tuple[int, int]]) -> Row:
    """Return the bar of further repeats that are proposed, from those and what was needed."""
    name, bar = f"{what}: further repeats proposed, within a factor of 4", 80
    if not cases:
        return Row(name, f">= {bar} %", "-", None, "no case was inconclusive")
    return share_row(name, sum(map(_is_within_four, cases)), len(cases), bar)


def _inconclusive(repeats: int) -> Iterator[tuple[int, int]]:
    """Yield what inconclusive comparisons propose and what was needed, case by case."""
    draw = Random(repeats)
    while True:
        pair = Pair(draw.choice((0.02, 0.03, 0.05)), draw.choice((0, 2, 5, 7, 10)))
        before, after = pair.repeats(draw, repeats + _MAX_FURTHER)
        case = proposal(before, after, repeats, DEFAULT_RULE)
        if case is not None:
            yield case


def proposal(
    before: RepeatValues, after: RepeatValues, repeats: int, rule: ComparisonRule
) -> tuple[int, int] | None:
    """Return what is proposed after some repeats and what was needed; None if it was decided.

    A comparison that all figures given do not decide needs all of them at least.
    """
    proposed = find(before[:repeats], after[:repeats], rule).more_repeats
    if proposed is None:
        return None
    most = min(len(before), len(after)) - repeats
    decided = (
        more
        for more in range(1, most)
        if find(before[: repeats + more], after[: repeats + more], rule).is_decided
    )
    return proposed, next(decided, most)


def _is_within_four(case: tuple[int, int]) -> bool:
    """Say whether a number of further repeats is right; more than 50 has no upper bound."""
    proposed, needed = case
    if proposed >= MORE_THAN_50:
        return needed >= MORE_THAN_50 / 4
    return proposed / 4 <= needed <= 4 * proposed
