import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from bench.statistics.intervals import SERIES, Times, coverage, samples_of
from solrbench.stats.distributions import ConfidenceBounds, student_t
from solrbench.stats.histograms import BucketCounts, Histogram, buckets_of
from solrbench.stats.intervals import TimedSamples, design_effect, share_interval
from solrbench.stats.time_blocks import TimeBlocks
from support.narrowing import not_none

RATE = 100


def recorded(*repeats: Sequence[Sequence[int]]) -> TimedSamples:
    """Return times given by repeat and second."""
    histogram, blocks = Histogram(), []
    for seconds in repeats:
        blocks.append(TimeBlocks())
        for second, times in enumerate(seconds):
            blocks[-1].add(second, Counter(buckets_of(times)), sum(times))
            for each in times:
                histogram.record(each)
    every = [each for seconds in repeats for times in seconds for each in times]
    return TimedSamples(histogram, blocks, sum(every), max(every))


def drawn(
    seconds: int, seed: int, factor: Callable[[int], float] = lambda second: 1.0, rate: int = RATE
) -> list[list[int]]:
    """Return log-normal times by second, of which each is multiplied by a factor of its second."""
    draw = random.Random(seed)
    return [
        [int(4000 * factor(second) * draw.lognormvariate(0, 0.6)) for _ in range(rate)]
        for second in range(seconds)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("series", SERIES)
def test_intervals_hold_the_truth_in_about_95_of_100_steps(series: str) -> None:
    """Order statistics, as if requests were independent, would hold it in 20 to 60 of 100."""
    found = coverage(SERIES[series], steps=40, seconds=31, rate=100, seed=5)
    for percent, (held, given) in found.items():
        assert held >= 85, percent
        assert given >= 80 or percent == 99, percent


def test_independent_requests_have_wilsons_interval() -> None:
    samples = recorded(drawn(60, seed=1))
    found = not_none(samples.percentile_interval(50))
    ranked = sorted(value for second in drawn(60, seed=1) for value in second)
    half = student_t(59) * math.sqrt(0.25 * len(ranked))
    lower, upper = (ranked[round(len(ranked) / 2 + side * half)] for side in (-1, 1))
    assert found.lower == pytest.approx(lower, rel=0.02)
    assert found.upper == pytest.approx(upper, rel=0.02)
    assert found.lower < 4000 < found.upper


def test_stalls_widen_an_interval_where_blocks_differ() -> None:
    even = not_none(recorded(drawn(60, seed=2)).percentile_interval(95))
    draw = random.Random(3)
    factors = [10.0 if draw.random() < 0.25 else 1.0 for _ in range(60)]
    stalled = recorded(drawn(60, seed=2, factor=factors.__getitem__))
    uneven = not_none(stalled.percentile_interval(95))
    assert math.log(uneven.upper / uneven.lower) > 3 * math.log(even.upper / even.lower)


def test_upper_bound_never_exceeds_the_maximum() -> None:
    samples = recorded(drawn(60, seed=4))
    found = not_none(samples.percentile_interval(99.8))
    assert found.upper <= (samples.max_microseconds or 0)


def test_step_too_short_for_its_swings_has_no_interval() -> None:
    samples = recorded(drawn(60, seed=5, factor=lambda second: 2 + math.sin(second / 10)))
    assert samples.percentile_interval(50) is None
    assert samples.mean_interval() is None


def test_a_tail_of_two_stalls_has_no_interval() -> None:
    samples = recorded(drawn(60, seed=6, factor=lambda second: 100 if second in (20, 41) else 1))
    assert samples.percentile_interval(99) is None
    assert samples.percentile_interval(50) is not None


@pytest.mark.parametrize(("seconds", "has"), [(9, False), (10, True)])
def test_ten_blocks_are_needed(seconds: int, has: bool) -> None:
    samples = recorded(drawn(seconds, seed=7))
    assert (samples.percentile_interval(50) is not None) is has
    assert (samples.mean_interval() is not None) is has


@pytest.mark.parametrize(("percent", "has"), [(99.5, True), (99.6, False)])
def test_ten_requests_must_lie_beyond(percent: float, has: bool) -> None:
    samples = recorded(drawn(40, seed=8, rate=50))
    assert (samples.percentile_interval(percent) is not None) is has


def test_mean_interval_is_that_of_the_blocks() -> None:
    draw = random.Random(1)
    seconds = [[1000 + draw.randrange(-100, 101)] * 5 for _ in range(40)]
    found = not_none(recorded(seconds).mean_interval())
    values = np.array([float(each[0]) for each in seconds])
    assert (found.lower + found.upper) / 2 == pytest.approx(values.mean())
    error = values.std(ddof=1) / math.sqrt(40) * student_t(39)
    assert error <= (found.upper - found.lower) / 2 < 1.6 * error  # by the correlation found


def test_rate_error_is_that_of_the_whole_blocks() -> None:
    draw = random.Random(2)
    counts = [draw.randrange(80, 121) for _ in range(41)]
    samples = recorded([[1000] * each for each in counts])
    whole = np.array(counts[:-1], dtype=float)
    error = whole.std(ddof=1) / math.sqrt(40) * student_t(39) / whole.mean()
    found = not_none(samples.rate_error())
    assert error <= found < 1.6 * error


@pytest.mark.parametrize("drain", [1, 3, 29])
def test_a_drain_takes_nothing_from_the_interval_of_a_rate(drain: int) -> None:
    draw = random.Random(3)
    seconds = [[1000] * draw.randrange(80, 121) for _ in range(40)]
    samples, drained = recorded(seconds), recorded([*seconds, *[[]] * (drain - 1), [9000]])
    for each in (samples, drained):
        each.repeats[0].sending_seconds = 40
    expected = not_none(samples.rate_error())
    # With longer blocks, and with the last second.
    assert drained.rate_error() == pytest.approx(expected, rel=0.3)


def test_equal_times_have_the_width_of_their_bucket() -> None:
    samples = recorded([[5000] * 20] * 30)
    assert samples.percentile_interval(95) == ConfidenceBounds(5000, 5000)
    assert samples.mean_interval() == ConfidenceBounds(5000, 5000)


def test_repeats_that_agree_are_worth_their_blocks_together() -> None:
    one = not_none(recorded(drawn(60, seed=9)).mean_interval())
    four = not_none(recorded(*(drawn(60, seed=seed) for seed in range(9, 13))).mean_interval())
    # Half of the error, with the t of four repeats instead of that of 60 blocks.
    expected = (one.upper - one.lower) / 2 * student_t(3) / student_t(59)
    assert four.upper - four.lower == pytest.approx(expected, rel=0.4)


def test_three_repeats_that_differ_a_little_hold_the_truth() -> None:
    """A test whether repeats differ is blind with three of them: 13 % of intervals missed it."""
    held = [
        found.lower <= 1.0 <= found.upper
        for seed in range(150)
        if (found := of_levels(np.random.default_rng(seed).normal(1, 0.025, 3).tolist()))
        is not None
    ]
    assert len(held) == 150
    assert held.count(False) <= 9


def of_levels(levels: Sequence[float]) -> ConfidenceBounds | None:
    """Return the interval of a mean, relative to the truth, of repeats with blocks of 40 s."""
    draw = np.random.default_rng(round(1e9 * sum(levels)))
    repeats = [
        [[int(10_000 * level * (1 + 0.06 * error))] * 10 for error in draw.standard_normal(40)]
        for level in levels
    ]
    found = recorded(*repeats).mean_interval()
    return found and ConfidenceBounds(found.lower / 10_000, found.upper / 10_000)


def test_repeats_that_disagree_are_the_blocks() -> None:
    def spread(factors: Sequence[float]) -> float:
        repeats = (
            drawn(60, seed=20 + index, factor=lambda _, factor=factor: factor)  # type: ignore[misc]
            for index, factor in enumerate(factors)
        )
        found = not_none(recorded(*repeats).mean_interval())
        return found.upper / found.lower - 1

    alike, unlike = spread([1, 1, 1, 1, 1]), spread([1, 1.2, 0.9, 1.1, 0.8])
    assert alike < 0.03
    assert unlike > 0.2  # t(4) of five means with a deviation of 16 %: ± 20 %


def test_repeats_of_which_one_has_no_blocks_have_no_interval() -> None:
    new = recorded(drawn(60, seed=30))
    mixed = TimedSamples(
        new.histogram, [*new.repeats, TimeBlocks()], new.sum_microseconds, new.max_microseconds
    )
    assert mixed.rate_error() is None
    other = Histogram()
    other.record(5)  # what the other one measured
    whole = replace(mixed, histogram=BucketCounts.merged([new.histogram, other]))
    assert whole.percentile_interval(50) is None
    assert whole.mean_interval() is None


def test_nothing_measured_has_no_interval() -> None:
    nothing = TimedSamples(Histogram(), [TimeBlocks()], 0, None)
    assert nothing.percentile_interval(95) is None
    assert nothing.mean_interval() is None
    assert nothing.rate_error() is None


def test_nearly_equal_times_are_not_surer_than_their_mean() -> None:
    """All lie in one coarse bucket, which shows nothing of how they swing."""
    seconds = [[10_000 + 60 * (second % 2)] * 20 for second in range(40)]
    found = not_none(recorded(seconds).percentile_interval(50))
    assert (found.lower, found.upper) == (10_000, 10_060)


def test_samples_of_the_bench_are_those_of_a_step_run() -> None:
    starts = np.arange(300) / 10
    times: Times = np.random.default_rng(1).integers(1, 10**7, 300)
    found = samples_of(starts, times)
    own = recorded([[int(each) for each in times[10 * k : 10 * k + 10]] for k in range(30)])
    assert found.repeats[0].encode() == own.repeats[0].encode()
    assert found.histogram.buckets.tolist() == own.histogram.buckets.tolist()
    assert found.histogram.counts.tolist() == own.histogram.counts.tolist()


def test_interval_of_a_share_is_that_of_wilson() -> None:
    assert share_interval(0, 0) is None
    assert share_interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=0.0001)
    assert not_none(share_interval(10, 10)).upper == 1.0
    # No failure at all leaves room for some.
    found = not_none(share_interval(0, 1000))
    assert found.lower == 0.0
    assert found.upper == pytest.approx(3.8 / 1000, rel=0.02)


def test_a_design_effect_widens_the_interval_as_fewer_requests_would() -> None:
    assert share_interval(40, 1000, 4.0) == pytest.approx(share_interval(10, 250))


def test_failures_one_by_one_have_no_effect_and_an_outage_has() -> None:
    draw = random.Random(1)
    alone = [sum(draw.random() < 0.05 for _ in range(100)) for _ in range(60)]
    assert design_effect(alone, [100] * 60) < 2
    outage = [100 if 10 <= second < 13 else 0 for second in range(60)]
    assert design_effect(outage, [100] * 60) > 50


@pytest.mark.parametrize("failed", [[0] * 9, [5] * 9, []])
def test_none_all_and_nothing_have_no_effect(failed: list[int]) -> None:
    assert design_effect(failed, [5] * len(failed)) == 1.0
