"""The raw times of published studies, and what the comparison says of them.

Ed-Fi's are the 30 times of RND-538 (Ed-Fi-Exchange-OSS/Meadowlark, docs/performance-testing), whose
authors "did not see any improvement with the nginx load balancer".
"""

from statistics import fmean

import pytest

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.results.capacity.scalability_law import Level, declines, fit_law, stated_peak
from solrbench.results.comparison.estimates import StudentEstimate
from solrbench.results.comparison.findings import Rule, decide_primary
from solrbench.results.comparison.metric import AVERAGE, INDEXING
from unit.results.comparison.figures import compared, figures

BALANCED = {
    1: [153.4093732, 164.8779734, 163.5545080, 161.5097791, 158.8979786],
    2: [150.5095058, 138.5902512, 146.0740558, 145.2780308, 164.5890730],
    4: [167.7064319, 157.4898545, 160.2312613, 155.9549423, 163.1832261],
}
DIRECT = {
    1: [189.6049885, 181.4044423, 179.3843134, 178.3939055, 193.0434055],
    2: [149.0765482, 165.2344755, 146.9476904, 150.5897358, 159.6380510],
    4: [146.6134977, 148.2016753, 156.1254584, 149.2328461, 141.2826979],
}


@pytest.mark.parametrize(
    ("threads", "percent", "t", "word"),
    [(1, -13.0, -6.7, Word.BETTER), (2, -3.4, -0.95, Word.UNCLEAR), (4, 8.5, 4.0, Word.WORSE)],
)
def test_balancer_helps_one_thread_and_hurts_four(
    threads: int, percent: float, t: float, word: Word
) -> None:
    difference = compared(figures(DIRECT[threads]), figures(BALANCED[threads]), INDEXING)
    (found,) = decide_primary([difference], Rule())
    assert found.word is word
    assert found.percent == pytest.approx(percent, abs=0.15)
    assert isinstance(difference.estimate, StudentEstimate)
    assert difference.centre / difference.estimate.precision(0).error == pytest.approx(t, abs=0.15)


def test_the_words_hold_for_the_three_questions_together() -> None:
    differences = [compared(figures(DIRECT[n]), figures(BALANCED[n]), INDEXING) for n in (1, 2, 4)]
    words = [each.word for each in decide_primary(differences, Rule())]
    assert words == [Word.BETTER, Word.UNCLEAR, Word.WORSE]


def test_one_run_of_each_side_makes_no_word() -> None:
    """iSamples: 514 ms with one Solr process, 510 with three, called "~10% increase"."""
    difference = compared(figures([514.0]), figures([510.0]), AVERAGE)
    (found,) = decide_primary([difference], Rule())
    assert found.word is None
    assert found.percent == pytest.approx(-0.8, abs=0.05)


def test_the_best_of_three_zookeeper_counts_is_within_two_equal_runs() -> None:
    """McGill: 9.593 s with one, 9.453 and 9.668 s with three, 9.708 s with five."""
    three = figures([9.453, 9.668])
    words = {
        decide_primary([compared(three, figures([other]), INDEXING)], Rule())[0].word
        for other in (9.593, 9.708)
    }
    assert words == {None}
    paired = compared(three, figures([9.593, 9.708]), INDEXING)
    (found,) = decide_primary([paired], Rule())
    assert found.word is Word.UNCLEAR


def test_a_system_past_its_peak_is_seen_to_decline_but_no_peak_is_stated() -> None:
    """FOLIO: pairs of check-in and check-out per second that follow from its times, by users.

    With 1, 5, 8 and 20 users they are 0.28, 1.26, 1.49 and 1.10; its report shows times only.
    """
    rates = {1: 0.28, 5: 1.26, 8: 1.49, 20: 1.10}
    once = [Level(users, rate) for users, rate in rates.items()]
    repeated = [Level(users, rate, 0.95 * rate, 1.05 * rate) for users, rate in rates.items()]
    assert not declines(once)
    assert declines(repeated)
    law = fit_law(repeated)
    assert law is not None
    assert law.peak is not None
    assert 8 < law.peak < 20
    assert stated_peak(repeated, law) is None


def test_load_times_of_the_published_averages_are_not_those_of_the_raw_times() -> None:
    """Ed-Fi: 2:47.9 with the balancer and 4 threads, 2:32.3 and 3:04.0 without it and 2 and 1."""
    means = [fmean(BALANCED[4]), fmean(DIRECT[2]), fmean(DIRECT[1])]
    assert means == pytest.approx([160.9, 154.3, 184.4], abs=0.05)
    assert means != pytest.approx([167.9, 152.3, 184.0], abs=0.3)
