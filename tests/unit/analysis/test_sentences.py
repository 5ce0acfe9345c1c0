import pytest

from solrbench.analysis.metrics import (
    MIN_VALUES_FOR_RANKS,
    Difference,
    growth_metric,
    percentile_metric,
)
from solrbench.analysis.sentences import (
    DRIFT_NOTE,
    difference_sentence,
    format_conclusion,
    shorten_sentence,
)
from solrbench.api.v1alpha1.comparisons import Conclusion

P95 = percentile_metric(95)


def found(
    estimate: float,
    interval: tuple[float, float] | None = None,
    conclusion: Conclusion | None = None,
    more_repeats: int | None = None,
) -> Difference:
    return Difference(P95, 100, 100, estimate, interval, conclusion, more_repeats)


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (found(25), "25 % higher than in b; not compared: needs 3 or more repeats."),
        (
            found(12.34, (9.8, 14.81), Conclusion.WORSE),
            "12.3 % higher than in b (95 % confidence interval 9.8 to 14.8 %): worse.",
        ),
        (
            found(-3, (-5, -1), Conclusion.SAME),
            (
                "slightly lower than in b (-3 %, 95 % confidence interval -5 to -1 %): no relevant"
                " difference."
            ),
        ),
        (
            found(1_667_386, (900, 50_138_336), Conclusion.WORSE),
            "16700 times higher than in b (95 % confidence interval 10 to 501000 times): worse.",
        ),
    ],
)
def test_difference_is_a_sentence_with_its_interval(difference: Difference, text: str) -> None:
    assert difference_sentence("p", difference, "in b") == f"p is {text}"


def test_inconclusive_without_an_interval_has_its_estimate() -> None:
    difference = found(3, None, Conclusion.INCONCLUSIVE)
    assert difference_sentence("p", difference, "in b") == (
        "p may be higher or lower than in b (+3 %): inconclusive."
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


def test_growth_is_more_or_less_than_that_of_the_baseline() -> None:
    metric = growth_metric("HeapAfterGc", "bytes")
    more = Difference(metric, 0, 0, 39 << 20, (33 << 20, 45 << 20), Conclusion.WORSE)
    assert difference_sentence("growth", more, "in juniper") == (
        "growth is 39 MiB/h higher than in juniper (95 % confidence interval 33 to 45 MiB/h):"
        " worse."
    )
    less = Difference(metric, 0, 0, -39 << 20, (-45 << 20, -33 << 20), Conclusion.BETTER)
    assert difference_sentence("growth", less, "in juniper") == (
        "growth is 39 MiB/h lower than in juniper (95 % confidence interval 33 to 45 MiB/h):"
        " better."
    )


def test_number_of_repeats_in_the_note_on_drift_is_that_of_the_test() -> None:
    few = MIN_VALUES_FOR_RANKS
    assert DRIFT_NOTE.startswith(f"With fewer than {few} repeats")
    assert f"load.repeats.count to {few}," in DRIFT_NOTE


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
