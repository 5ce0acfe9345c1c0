"""What grows on one side beside what grows on the other: a leak against a clean run."""

from collections.abc import Iterable, Iterator, Sequence
from math import hypot

from solrbench.api.v1alpha1.status.comparison import MAX_TREND_DIFFERENCES, TrendDifference
from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.status.trends import Trend, TrendWord
from solrbench.results.stats.number_format import round_number
from solrbench.results.trends.sentences import per_hour

_NOT_GROWING = (TrendWord.STEADY, TrendWord.ROSE_ONCE)


def compare_trends(before: Sequence[Trend], after: Sequence[Trend]) -> list[TrendDifference]:
    """Return each figure of a step that both sides have, those that differ first."""
    known = {_key(each): each for each in before}
    found = [_compare(known[_key(each)], each) for each in after if _key(each) in known]
    found.sort(key=lambda each: each.word not in (Word.WORSE, Word.BETTER))
    return found[:MAX_TREND_DIFFERENCES]


def _key(trend: Trend) -> tuple[str, str | None, str]:
    return trend.step, trend.variant, trend.figure


def _compare(before: Trend, after: Trend) -> TrendDifference:
    """Return the difference of two slopes with its interval.

    Both are measured apart, so the distances of their bounds add by squares (Zou and Donner 2008,
    Construction of confidence limits about effect measures).
    """
    first, second = before.growth_per_hour, after.growth_per_hour
    difference = second - first
    below = hypot(second - after.lower_per_hour, before.upper_per_hour - first)
    above = hypot(after.upper_per_hour - second, first - before.lower_per_hour)
    return TrendDifference(
        step=after.step,
        variant=after.variant,
        figure=after.figure,
        unit=after.unit,
        baseline_per_hour=first,
        growth_per_hour=second,
        difference_per_hour=round_number(difference),
        low_per_hour=round_number(difference - below),
        high_per_hour=round_number(difference + above),
        word=_word(before, after, difference - below, difference + above),
    )


def _word(before: Trend, after: Trend, low: float, high: float) -> Word:
    """Return the word; what is steady on both sides is the same, however exactly it is known."""
    if before.word in _NOT_GROWING and after.word in _NOT_GROWING:
        return Word.SAME
    if low > 0:
        return Word.WORSE
    return Word.BETTER if high < 0 else Word.UNCLEAR


def trend_difference_sentences(
    differences: Iterable[TrendDifference], baseline: str
) -> Iterator[str]:
    """Yield `HeapAfterGc of soak grows by 39 MiB/h (95 %: 33 to 45) more than in juniper: Worse`.

    Only of those that differ.
    """
    for each in differences:
        if each.word not in (Word.WORSE, Word.BETTER):
            continue
        sign, more = (1, "more") if each.word is Word.WORSE else (-1, "less")
        low, high = sorted((sign * each.low_per_hour, sign * each.high_per_hour))
        through = f" through {each.variant}" if each.variant else ""
        amount = per_hour(sign * each.difference_per_hour, low, high, each.unit)
        yield (
            f"{each.figure} of {each.step}{through} grows by {amount} {more} than in {baseline}:"
            f" {each.word}"
        )
