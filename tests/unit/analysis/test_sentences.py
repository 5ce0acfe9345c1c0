from dataclasses import replace

import pytest

from solrbench.analysis.metrics import MIN_VALUES_FOR_RANKS, P95, Difference
from solrbench.analysis.sentences import (
    DRIFT_NOTE,
    difference_sentence,
    format_conclusion,
    shorten_sentence,
)
from solrbench.api.v1alpha1.comparisons import Conclusion


def found(
    estimate: float,
    interval: tuple[float, float] | None = None,
    conclusion: Conclusion | None = None,
    more_repeats: int | None = None,
) -> Difference:
    return Difference(P95, 100, 100, estimate, interval, conclusion, more_repeats)


def test_difference_without_a_conclusion_says_what_is_missing() -> None:
    assert difference_sentence("p", found(25), "in b") == (
        "p is 25 % higher than in b; not compared: needs 3 or more repeats."
    )


def test_inconclusive_without_an_interval_has_its_estimate() -> None:
    difference = found(3, None, Conclusion.INCONCLUSIVE)
    assert difference_sentence("p", difference, "in b") == (
        "p may be higher or lower than in b (+3 %): inconclusive."
    )


def test_a_machine_that_changed_is_no_number_of_repeats() -> None:
    difference = replace(found(3, (-1, 7), Conclusion.INCONCLUSIVE), has_changed=True)
    assert difference_sentence("p", difference, "in b").endswith(
        ": inconclusive. Measure both in turn, as the machine changed meanwhile."
    )


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (None, "inconclusive"),
        (1, "inconclusive: about 1 more repeat"),
        (20, "inconclusive: about 20 more repeats"),
        (51, "inconclusive: more than 50 more repeats"),
    ],
)
def test_what_is_inconclusive_says_how_many_more_repeats(more: int | None, text: str) -> None:
    assert format_conclusion(found(3, (-1, 7), Conclusion.INCONCLUSIVE, more)) == text


def test_note_on_drift_names_rounds_as_more_repeats_do_not_show_a_sudden_change() -> None:
    assert DRIFT_NOTE.startswith(f"With fewer than {MIN_VALUES_FOR_RANKS} repeats")
    assert "sweep with repeats: {until: Decided}." in DRIFT_NOTE
    assert "load.repeats" not in DRIFT_NOTE


CUT = "heap 1Gi: the p95 is 30 % lower (95 % confidence interval 28 to 31 %, of 5 (of 6)): better."


@pytest.mark.parametrize(
    ("most", "text"),
    [
        (len(CUT), CUT),
        (len(CUT) - 1, CUT.replace(": better.", " …")),
        (80, "heap 1Gi: the p95 is 30 % lower …"),
        (40, "heap 1Gi: the p95 is 30 % lower …"),
        (33, "heap 1Gi: the p95 is 30 % lower …"),
        (32, "heap 1Gi: the p95 is 30 % …"),
        (12, "heap 1Gi …"),
    ],
)
def test_sentence_is_cut_before_a_word_and_never_within_brackets(most: int, text: str) -> None:
    assert shorten_sentence(CUT, most) == text
    assert len(text) <= most
