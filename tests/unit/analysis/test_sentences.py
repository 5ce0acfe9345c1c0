import pytest

from solrbench.analysis.metrics import Difference, growth_metric, percentile_metric
from solrbench.analysis.sentences import difference_sentence, format_conclusion, phrase_difference
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
        (found(25), "+25 % (no conclusion from one repeat)"),
        (found(12.34, (9.8, 14.81), Conclusion.WORSE), "Worse (+12.3 %, 95 %: 9.8 to 14.8)"),
        (found(-3, (-5, -1), Conclusion.SAME), "Same (-3 %, 95 %: -5 to -1)"),
        (found(3, None, Conclusion.INCONCLUSIVE), "Inconclusive (+3 %)"),
        (
            found(1_667_386, (900, 50_138_336), Conclusion.WORSE),
            "Worse (16700 times, 95 %: 10 to 501000)",
        ),
    ],
)
def test_difference_is_phrased_with_its_interval(difference: Difference, text: str) -> None:
    assert phrase_difference(difference) == text


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (None, "Inconclusive"),
        (1, "Inconclusive: about 1 more repeat"),
        (20, "Inconclusive: about 20 more repeats"),
        (51, "Inconclusive: more than 50 more repeats"),
    ],
)
def test_what_is_inconclusive_says_how_many_more_repeats(more: int | None, text: str) -> None:
    assert format_conclusion(found(3, (-1, 7), Conclusion.INCONCLUSIVE, more)) == text


def test_growth_is_more_or_less_than_that_of_the_baseline() -> None:
    metric = growth_metric("HeapAfterGc", "bytes")
    more = Difference(metric, 0, 0, 39 << 20, (33 << 20, 45 << 20), Conclusion.WORSE)
    assert difference_sentence("HeapAfterGc of soak", more, "juniper") == (
        "HeapAfterGc of soak grows by 39 MiB/h (95 %: 33 to 45) more than in juniper: Worse"
    )
    less = Difference(metric, 0, 0, -39 << 20, (-45 << 20, -33 << 20), Conclusion.BETTER)
    assert difference_sentence("HeapAfterGc of soak", less, "juniper") == (
        "HeapAfterGc of soak grows by 39 MiB/h (95 %: 33 to 45) less than in juniper: Better"
    )
