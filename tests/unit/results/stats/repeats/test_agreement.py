"""Repeats that agree, and the three ways in which they do not."""

import random

import pytest

from solrbench.results.stats.repeats.agreement import (
    MIN_SECONDS,
    Disagreement,
    block_levels,
    compare_repeats,
)


def seconds(level: float, seed: int, count: int = 60, spread: float = 0.05) -> list[float]:
    source = random.Random(seed)
    return [level * source.lognormvariate(0, spread) for _ in range(count)]


def way(*levels: float, allowed_percent: float = 3) -> Disagreement | None:
    blocks = block_levels([seconds(level, seed) for seed, level in enumerate(levels)])
    found = compare_repeats(blocks, allowed_percent)
    assert found is not None
    return found.disagreement


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((1000, 1000), None),
        ((1000, 1030, 990, 1010), None),
        ((1300, 1000), Disagreement.FIRST),
        ((1300, 1000, 1010, 1000), Disagreement.FIRST),
        ((1000, 1060, 1120, 1190, 1260), Disagreement.TREND),
        ((1000, 1000, 1300, 1000, 1000), Disagreement.SPREAD),
    ],
)
def test_way_in_which_repeats_differ_is_named(
    levels: tuple[float, ...], expected: Disagreement | None
) -> None:
    assert way(*levels) is expected


def test_more_may_be_allowed() -> None:
    assert way(1300, 1000, 1010, 1000, allowed_percent=20) is None


def test_amounts_are_in_percent_of_the_service_time() -> None:
    blocks = block_levels([[level] * 40 for level in (1000.0, 1100.0, 1210.0)])
    found = compare_repeats(blocks, 3)
    assert found is not None
    assert found.trend_percent == pytest.approx(10)
    assert found.first_percent == pytest.approx(100 * (1000 / (1100 * 1210) ** 0.5 - 1))


def test_a_stall_in_one_repeat_is_no_disagreement() -> None:
    stalled = seconds(1000, 1)
    stalled[17] = 200_000
    levels = block_levels([seconds(1000, 0), stalled, seconds(1000, 2)])
    found = compare_repeats(levels, 3)
    assert found is not None
    assert found.disagreement is None


def test_step_that_swings_slowly_is_too_short() -> None:
    slow = [1000 + 300 * (second // 30) for second in range(60)]
    assert compare_repeats(block_levels([slow, slow]), 3) is None


def test_equal_seconds_agree_where_nothing_is_allowed() -> None:
    levels = block_levels([[1000.0] * MIN_SECONDS] * 3)
    found = compare_repeats(levels, 0)
    assert found is not None
    assert found.disagreement is None


def test_few_equal_repeats_are_accused() -> None:
    """At most 1.5 %; docs/method.md has the whole table (`bench.statistics.false_alarms`)."""
    accused = 0
    for run in range(200):
        levels = block_levels([seconds(1000, 10 * run + repeat) for repeat in range(3)])
        found = compare_repeats(levels, 0)
        assert found is not None
        accused += found.disagreement is not None
    assert accused <= 6
