"""Slopes beside those of a baseline."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.status.comparison import MAX_TREND_DIFFERENCES
from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.status.trends import Trend, TrendWord
from solrbench.results.trends.differences import compare_trends, trend_difference_sentences

MIB = 2**20


def trend(growth: float, half: float, word: TrendWord, **fields: Any) -> Trend:
    """Return a trend in MiB an hour with its interval."""
    known = {"step": "soak", "figure": "HeapAfterGc", "unit": "bytes", "message": ""}
    return Trend(
        **known | fields,
        word=word,
        growth_per_hour=growth * MIB,
        lower_per_hour=(growth - half) * MIB,
        upper_per_hour=(growth + half) * MIB,
    )


LEAK = trend(41, 4, TrendWord.HEAP_GROWS)
CLEAN = trend(1, 3, TrendWord.STEADY)


def test_leak_beside_a_clean_run_has_a_difference_with_its_interval() -> None:
    (found,) = compare_trends([CLEAN], [LEAK])
    assert found.word is Word.WORSE
    assert found.difference_per_hour == 40 * MIB
    # Distances of the bounds add by squares: 4 and 3 make 5.
    assert (found.low_per_hour, found.high_per_hour) == pytest.approx((35 * MIB, 45 * MIB))
    assert list(trend_difference_sentences([found], "juniper")) == [
        "HeapAfterGc of soak grows by 40 MiB/h (95 %: 35 to 45) more than in juniper: Worse"
    ]


def test_leak_that_was_mended() -> None:
    (found,) = compare_trends([LEAK], [CLEAN])
    assert found.word is Word.BETTER
    (sentence,) = trend_difference_sentences([found], "juniper")
    assert "grows by 40 MiB/h (95 %: 35 to 45) less than in juniper: Better" in sentence


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (CLEAN, trend(9, 1, TrendWord.STEADY), Word.SAME),
        (LEAK, trend(43, 4, TrendWord.HEAP_GROWS), Word.UNCLEAR),
        # A cache that fills in both: only more than that is a leak.
        (trend(30, 3, TrendWord.UNCLEAR), trend(31, 3, TrendWord.UNCLEAR), Word.UNCLEAR),
        (trend(30, 3, TrendWord.UNCLEAR), trend(60, 3, TrendWord.UNCLEAR), Word.WORSE),
    ],
)
def test_difference_of_trends_has_its_word(before: Trend, after: Trend, word: Word) -> None:
    (found,) = compare_trends([before], [after])
    assert found.word is word
    assert bool(list(trend_difference_sentences([found], "x"))) == (word is Word.WORSE)


def test_only_what_both_have_and_what_differs_first() -> None:
    alone = trend(41, 4, TrendWord.HEAP_GROWS, step="other")
    steady = [
        trend(1, 3, TrendWord.STEADY, variant=f"v{number}")
        for number in range(MAX_TREND_DIFFERENCES + 4)
    ]
    found = compare_trends([*steady, CLEAN], [*steady, LEAK, alone])
    assert len(found) == MAX_TREND_DIFFERENCES
    assert found[0].word is Word.WORSE
    assert all(each.step == "soak" for each in found)
