import pytest

from solrbench.api.v1alpha1.status.comparison_word import MORE_THAN_50, Word
from solrbench.results.comparison.findings import (
    Finding,
    Rule,
    decide_details,
    decide_primary,
    is_decided,
)
from solrbench.results.comparison.looks import Looks
from solrbench.results.comparison.metric import FAILED, RATE, Metric
from unit.results.comparison.figures import compared, drawn, figures


def decide(before: list[float], after: list[float], metric: Metric | None = None) -> Finding:
    """Return the word on two sides that were measured apart."""
    difference = compared(figures(before), figures(after), *([metric] if metric else []))
    (found,) = decide_primary([difference], Rule())
    return found


SLOW, FAST = [110.0, 111, 109, 110], [100.0, 101, 99, 100]


def test_slower_is_worse_and_a_higher_rate_is_better() -> None:
    assert decide(FAST, SLOW).word is Word.WORSE
    assert decide(SLOW, FAST).word is Word.BETTER
    assert decide(FAST, SLOW, RATE).word is Word.BETTER
    assert decide(SLOW, FAST, RATE).word is Word.WORSE


def test_less_than_the_smallest_effect_is_the_same_though_it_is_significant() -> None:
    found = decide([100.0, 100.1, 99.9, 100], [102.0, 102.1, 101.9, 102])
    assert found.word is Word.SAME
    assert found.percent == pytest.approx(2, abs=0.01)
    assert found.interval is not None
    assert found.interval.lower > 0


def test_a_smaller_effect_may_matter() -> None:
    difference = compared(figures([100.0, 100.1, 99.9, 100]), figures([102.0, 102.1, 101.9, 102]))
    (found,) = decide_primary([difference], Rule(smallest_effect_percent=1))
    assert found.word is Word.WORSE


def test_interval_is_in_per_cent_of_the_baseline() -> None:
    found = decide(FAST, SLOW)
    assert found.percent == pytest.approx(10, abs=0.1)
    assert found.interval_percent is not None
    assert 8 < found.interval_percent.lower < 10 < found.interval_percent.upper < 12


def test_one_repeat_makes_no_word() -> None:
    found = decide([100.0], [200.0, 201, 199])
    assert (found.word, found.interval, found.more_repeats) == (None, None, None)
    assert found.percent == pytest.approx(100, abs=1)
    assert not found.is_decided


def test_unclear_says_about_how_many_more_repeats() -> None:
    found = decide([100.0, 108, 96], [104.0, 112, 99])
    assert found.word is Word.UNCLEAR
    assert found.more_repeats in (20, 50)
    half_margin = decide([100.0, 130, 80], [102.5, 133, 82])
    assert half_margin.more_repeats == MORE_THAN_50


def test_failures_matter_from_one_point_on() -> None:
    assert decide([0.0, 0, 0], [0.0, 0, 0], FAILED).word is Word.SAME
    assert decide([0.0, 0.1, 0], [0.2, 0.1, 0.1], FAILED).word is Word.SAME
    assert decide([0.0, 0.1, 0], [4.0, 4.1, 4.2], FAILED).word is Word.WORSE


def test_among_many_points_a_difference_must_be_clearer() -> None:
    difference = compared(figures([100.0, 101, 99]), figures([108.0, 109, 107]))
    equal = [compared(figures([100.0, 102, 98]), figures([100.0, 98, 102])) for _ in range(30)]
    (alone,) = decide_primary([difference], Rule())
    among = decide_primary([difference, *equal], Rule())[0]
    assert (alone.word, among.word) == (Word.WORSE, Word.UNCLEAR)
    assert among.interval is not None
    assert alone.interval is not None
    assert among.interval.lower < alone.interval.lower


def test_details_are_decided_by_the_share_of_false_ones() -> None:
    found = decide_details(
        [
            compared(drawn(n, 6, cv=0.01), drawn(n + 50, 6, cv=0.01, slower_percent=9))
            for n in (1, 2)
        ],
        Rule(),
    )
    assert [each.word for each in found] == [Word.WORSE, Word.WORSE]


def test_an_early_look_needs_more_evidence() -> None:
    difference = compared(drawn(1, 5, cv=0.02), drawn(2, 5, cv=0.02, slower_percent=7))
    (fixed,) = decide_primary([difference], Rule())
    (looked,) = decide_primary([difference], Rule(looks=Looks(5, 20)))
    assert fixed.word is Word.WORSE
    assert looked.word is Word.UNCLEAR
    assert looked.more_repeats is not None


def test_before_the_first_look_nothing_is_decided() -> None:
    difference = compared(figures(FAST), figures(SLOW))
    (found,) = decide_primary([difference], Rule(looks=Looks(5, 20)))
    assert (found.word, found.interval) == (Word.UNCLEAR, None)
    assert found.more_repeats == 1


def test_all_must_be_decided() -> None:
    decided, unclear = decide(FAST, SLOW), decide([100.0, 108, 96], [104.0, 112, 99])
    assert is_decided([decided, decided])
    assert not is_decided([decided, unclear])


@pytest.mark.parametrize("cv", [0.01, 0.02])
def test_equal_sides_are_hardly_ever_called_different(cv: float) -> None:
    words = [
        decide_primary([compared(drawn(n, 8, cv=cv), drawn(n + 500, 8, cv=cv))], Rule())[0].word
        for n in range(100)
    ]
    assert not {Word.BETTER, Word.WORSE} & set(words)
