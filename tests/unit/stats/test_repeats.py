"""Repeats that agree, and the three ways in which they do not.

Differences between short repeats that no reader would overlook, and those of a few stalls.
"""

import random
from collections.abc import Callable, Sequence

import pytest

from solrbench.analysis.samples import RequestSamples
from solrbench.stats.repeats import (
    MIN_SECONDS,
    Disagreement,
    RepeatDifference,
    batch_levels,
    compare_means,
    compare_percentiles,
    compare_repeats,
)
from solrbench.stats.times import Times
from support.narrowing import not_none
from support.results.builders import make_timed_result


def seconds(level: float, seed: int) -> list[float]:
    source = random.Random(seed)
    return [level * source.lognormvariate(0, 0.05) for _ in range(60)]


def way(repeats: Sequence[list[float]], allowed_percent: float = 3) -> Disagreement | None:
    return not_none(compare_repeats(batch_levels(repeats), allowed_percent)).disagreement


@pytest.mark.parametrize(
    ("levels", "allowed_percent", "expected"),
    [
        ((1000, 1000), 3, None),
        ((1000, 1030, 990, 1010), 3, None),
        ((1300, 1000), 3, Disagreement.FIRST),
        ((1300, 1000, 1010, 1000), 3, Disagreement.FIRST),
        ((1300, 1000, 1010, 1000), 20, None),
        ((1000, 1060, 1120, 1190, 1260), 3, Disagreement.TREND),
        ((1000, 1000, 1300, 1000, 1000), 3, Disagreement.SPREAD),
    ],
)
def test_way_in_which_repeats_differ_is_named(
    levels: tuple[float, ...], allowed_percent: float, expected: Disagreement | None
) -> None:
    repeats = [seconds(level, seed) for seed, level in enumerate(levels)]
    assert way(repeats, allowed_percent) is expected


def test_amounts_are_in_percent_of_the_service_time() -> None:
    blocks = batch_levels([[level] * 40 for level in (1000.0, 1100.0, 1210.0)])
    found = not_none(compare_repeats(blocks, 3))
    assert found.percents[Disagreement.TREND] == pytest.approx(10)
    assert found.percents[Disagreement.FIRST] == pytest.approx(
        100 * (1000 / (1100 * 1210) ** 0.5 - 1)
    )


def test_a_stall_in_one_repeat_is_no_disagreement() -> None:
    stalled = seconds(1000, 1)
    stalled[17] = 200_000
    assert way([seconds(1000, 0), stalled, seconds(1000, 2)]) is None


def test_step_that_swings_slowly_is_too_short() -> None:
    slow = [1000 + 300 * (second // 30) for second in range(60)]
    assert compare_repeats(batch_levels([slow, slow]), 3) is None


def test_equal_seconds_agree_where_nothing_is_allowed() -> None:
    assert way([[1000.0] * MIN_SECONDS] * 3, 0) is None


def test_few_equal_repeats_are_accused() -> None:
    """At most 1.5 %; docs/method/repeats.md has the whole table."""
    found = [way([seconds(1000, 10 * run + n) for n in range(3)], 0) for run in range(200)]
    assert sum(each is not None for each in found) <= 6


Seconds = Sequence[Sequence[int]]


def repeat(level: float, seed: int, seconds: int = 15, per_second: int = 40) -> list[list[int]]:
    """Return log-normal times in µs around `level`, by second."""
    draw = random.Random(seed)
    return [
        [round(level * draw.lognormvariate(0, 0.6)) for _ in range(per_second)]
        for _ in range(seconds)
    ]


def with_stall(seconds: Seconds, second: int) -> list[list[int]]:
    """Return the times with half a second in which nothing ends, and the next seconds' requests."""
    return [
        [each + (400_000 if number == second else 0) for each in times]
        for number, times in enumerate(seconds)
    ]


def samples(*repeats: Seconds) -> list[Times]:
    return [RequestSamples.of_result(make_timed_result(each)).service for each in repeats]


def p95(*repeats: Seconds, limit_percent: float = 25) -> RepeatDifference | None:
    return compare_percentiles(samples(*repeats), 95, limit_percent)


def mean(*repeats: Seconds) -> RepeatDifference | None:
    return compare_means(samples(*repeats), 25)


@pytest.mark.parametrize("compare", [p95, mean])
def test_slow_short_repeat_is_certain(compare: Callable[..., RepeatDifference | None]) -> None:
    found = not_none(compare(repeat(5000, 1), repeat(13_000, 2), repeat(5500, 3)))
    assert (found.lower, found.higher, found.is_certain) == (0, 1, True)
    assert 120 < found.percent < 200


def falling(begin: float, seed: int) -> list[list[int]]:
    """Return times whose level falls all the while, as those of a JVM that still compiles."""
    draw = random.Random(seed)
    levels = (begin + (25_000 - begin) * second / 60 for second in range(60))
    return [[round(level * draw.lognormvariate(0, 0.3)) for _ in range(60)] for level in levels]


@pytest.mark.parametrize(
    ("begin", "is_certain"), [(160_000, True), (120_000, True), (65_000, False)]
)
def test_repeats_that_swing_slowly_are_only_far_apart_for_certain(
    begin: float, is_certain: bool
) -> None:
    """As measured: 50 ms and 26 ms of eight users, whose Solr was stopped by its CPU limit."""
    found = not_none(mean(falling(begin, 1), falling(36_000, 2)))
    assert found.is_certain is is_certain
    assert (found.percent >= 50) is is_certain


def test_difference_within_the_limit_is_none() -> None:
    repeats = repeat(5000, 1), repeat(5500, 2)
    assert p95(*repeats) is None
    assert mean(*repeats) is None
    assert p95(repeat(5000, 1), repeat(13_000, 2), limit_percent=300) is None


@pytest.mark.parametrize("stalled_second", [0, 7])
def test_one_stall_is_a_difference_by_chance(stalled_second: int) -> None:
    repeats = repeat(5000, 1, 12), with_stall(repeat(5000, 2, 12), stalled_second)
    for found in (p95(*repeats), mean(*repeats)):
        assert found is not None
        assert found.percent > 100
        assert not found.is_certain


def test_nine_seconds_are_too_few() -> None:
    found = not_none(p95(repeat(5000, 1, 9), repeat(20_000, 2, 9)))
    assert not found.is_certain


def test_slow_swings_are_no_certain_difference() -> None:
    autocorrelated = [
        [round(each * (1 + 2 * (second > 7))) for each in times]
        for second, times in enumerate(repeat(5000, 2))
    ]
    found = not_none(mean(repeat(5000, 1), autocorrelated))
    assert not found.is_certain


def test_equal_times_differ_for_certain() -> None:
    found = not_none(p95([[1000] * 20] * 12, [[2000] * 20] * 12))
    assert found.is_certain
    assert found.percent == pytest.approx(100, rel=0.01)


@pytest.mark.slow
def test_few_equal_pairs_of_repeats_are_accused() -> None:
    """At most 1.5 %; docs/method/repeats.md has the table (`python -m bench short-repeats`)."""
    accused = sum(
        found.is_certain
        for seed in range(0, 60, 2)
        if (found := p95(repeat(5000, seed, 10, 20), repeat(5000, seed + 1, 10, 20)))
    )
    assert accused <= 1
