"""The raw times of published studies, and what the comparison says of them.

Ed-Fi's are the 30 times of RND-538 (Ed-Fi-Exchange-OSS/Meadowlark, docs/performance-testing), whose
authors "did not see any improvement with the nginx load balancer".
"""

from statistics import fmean
from typing import Any

import pytest

from solrbench.analysis.differences import ComparisonRule, conclude_details, conclude_primary
from solrbench.analysis.metrics import FAILED, INDEXING, P95, RATE, ComparisonMetric, Difference
from solrbench.analysis.scalability import Level, declines, describe_scaling, fit_law, stated_peak
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.stats.tests import Looks, StudentEstimate
from support.narrowing import not_none
from support.results.compared_figures import compared, drawn, figures
from support.results.published_times import BALANCED, DIRECT


def decide(
    before: list[float], after: list[float], metric: ComparisonMetric = P95, **rule: Any
) -> Difference:
    """Return the conclusion on two sides that were measured apart, by a rule with these fields."""
    difference = compared(figures(before), figures(after), metric)
    (found,) = conclude_primary([difference], ComparisonRule(**rule))
    return found


SLOW, FAST = [110.0, 111, 109, 110], [100.0, 101, 99, 100]


def test_slower_is_worse_and_a_higher_rate_is_better() -> None:
    assert decide(FAST, SLOW).conclusion is Conclusion.WORSE
    assert decide(SLOW, FAST).conclusion is Conclusion.BETTER
    assert decide(FAST, SLOW, RATE).conclusion is Conclusion.BETTER
    assert decide(SLOW, FAST, RATE).conclusion is Conclusion.WORSE


def test_less_than_the_smallest_effect_is_the_same_though_it_is_significant() -> None:
    sides = [100.0, 100.1, 99.9, 100], [102.0, 102.1, 101.9, 102]
    found = decide(*sides)
    assert found.conclusion is Conclusion.SAME
    assert found.estimate == pytest.approx(2, abs=0.01)
    assert not_none(found.interval)[0] > 0
    assert decide(*sides, smallest_effect_percent=1).conclusion is Conclusion.WORSE


def test_interval_is_in_per_cent_of_the_baseline() -> None:
    found = decide(FAST, SLOW)
    assert found.is_decided
    assert found.estimate == pytest.approx(10, abs=0.1)
    lower, upper = not_none(found.interval)
    assert 8 < lower < 10 < upper < 12


def test_one_repeat_makes_no_word() -> None:
    found = decide([100.0], [200.0, 201, 199])
    assert (found.conclusion, found.interval, found.more_repeats) == (None, None, None)
    assert found.estimate == pytest.approx(100, abs=1)
    assert not found.is_decided


def test_inconclusive_says_about_how_many_more_repeats() -> None:
    found = decide([100.0, 108, 96], [104.0, 112, 99])
    assert (found.conclusion, found.is_decided) == (Conclusion.INCONCLUSIVE, False)
    assert found.more_repeats in (20, 50)
    half_margin = decide([100.0, 130, 80], [102.5, 133, 82])
    assert half_margin.more_repeats == MORE_THAN_50


def test_failures_matter_from_one_point_on() -> None:
    assert decide([0.0, 0, 0], [0.0, 0, 0], FAILED).conclusion is Conclusion.SAME
    assert decide([0.0, 0.1, 0], [0.2, 0.1, 0.1], FAILED).conclusion is Conclusion.SAME
    assert decide([0.0, 0.1, 0], [4.0, 4.1, 4.2], FAILED).conclusion is Conclusion.WORSE


def test_among_many_points_a_difference_must_be_clearer() -> None:
    difference = compared(figures([100.0, 101, 99]), figures([108.0, 109, 107]))
    equal = [compared(figures([100.0, 102, 98]), figures([100.0, 98, 102])) for _ in range(30)]
    (alone,) = conclude_primary([difference], ComparisonRule())
    among = conclude_primary([difference, *equal], ComparisonRule())[0]
    assert (alone.conclusion, among.conclusion) == (Conclusion.WORSE, Conclusion.INCONCLUSIVE)
    assert not_none(among.interval)[0] < not_none(alone.interval)[0]


def test_details_are_decided_by_the_share_of_false_ones() -> None:
    sides = ((drawn(n, 6, cv=0.01), drawn(n + 50, 6, cv=0.01, slower_percent=9)) for n in (1, 2))
    found = conclude_details([compared(*each) for each in sides], ComparisonRule())
    assert [each.conclusion for each in found] == [Conclusion.WORSE, Conclusion.WORSE]


def test_an_early_look_needs_more_evidence() -> None:
    difference = compared(drawn(1, 5, cv=0.02), drawn(2, 5, cv=0.02, slower_percent=7))
    (fixed,) = conclude_primary([difference], ComparisonRule())
    (looked,) = conclude_primary([difference], ComparisonRule(looks=Looks(5, 20)))
    assert fixed.conclusion is Conclusion.WORSE
    assert looked.conclusion is Conclusion.INCONCLUSIVE
    assert looked.more_repeats is not None


def test_before_the_first_look_nothing_is_decided() -> None:
    found = decide(FAST, SLOW, looks=Looks(5, 20))
    assert (found.conclusion, found.interval) == (Conclusion.INCONCLUSIVE, None)
    assert found.more_repeats == 1


@pytest.mark.parametrize("cv", [0.01, 0.02])
def test_equal_sides_are_hardly_ever_called_different(cv: float) -> None:
    sides = ((drawn(n, 8, cv=cv), drawn(n + 500, 8, cv=cv)) for n in range(100))
    found = [conclude_primary([compared(*each)], ComparisonRule())[0] for each in sides]
    assert not {Conclusion.BETTER, Conclusion.WORSE} & {each.conclusion for each in found}


@pytest.mark.parametrize(
    ("threads", "percent", "t", "conclusion"),
    [
        (1, -13.0, -6.7, Conclusion.BETTER),
        (2, -3.4, -0.95, Conclusion.INCONCLUSIVE),
        (4, 8.5, 4.0, Conclusion.WORSE),
    ],
)
def test_balancer_helps_one_thread_and_hurts_four(
    threads: int, percent: float, t: float, conclusion: Conclusion
) -> None:
    difference = compared(figures(DIRECT[threads]), figures(BALANCED[threads]), INDEXING)
    (found,) = conclude_primary([difference], ComparisonRule())
    assert found.conclusion is conclusion
    assert found.estimate == pytest.approx(percent, abs=0.15)
    assert isinstance(difference.test, StudentEstimate)
    assert difference.test.centre / difference.test.precision(0).error == pytest.approx(t, abs=0.15)


def test_a_system_past_its_peak_is_seen_to_decline_but_no_peak_is_stated() -> None:
    """FOLIO: pairs of check-in and check-out per second that follow from its times, by users.

    With 1, 5, 8 and 20 users they are 0.28, 1.26, 1.49 and 1.10; its report shows times only.
    """
    rates = {1: 0.28, 5: 1.26, 8: 1.49, 20: 1.10}
    levels = [Level(users, rate) for users, rate in rates.items()]
    repeats = [{users: factor * rates[users] for users in rates} for factor in (0.97, 1, 1.03)]
    assert not declines([rates])
    assert declines(repeats)
    law = not_none(fit_law(levels))
    assert 8 < not_none(law.peak) < 20
    assert stated_peak(levels, law, repeats) is None
    assert "Fewer than 3 repeats" in describe_scaling(levels, None, None, [rates])
    assert describe_scaling(levels, None, None, repeats) == (
        "Throughput is highest at 8 users: 1.49 requests/s. It declines up to 20 users; too few"
        " levels to state a peak."
    )


def test_load_times_of_the_published_averages_are_not_those_of_the_raw_times() -> None:
    """Ed-Fi: 2:47.9 with the balancer and 4 threads, 2:32.3 and 3:04.0 without it and 2 and 1."""
    means = [fmean(BALANCED[4]), fmean(DIRECT[2]), fmean(DIRECT[1])]
    assert means == pytest.approx([160.9, 154.3, 184.4], abs=0.05)
    assert means != pytest.approx([167.9, 152.3, 184.0], abs=0.3)
