"""Intervals of shares."""

import random

import pytest

from solrbench.results.stats.shares import design_effect, share_interval


def test_no_failure_at_all_leaves_room_for_some() -> None:
    found = share_interval(0, 1000)
    assert found is not None
    assert found.lower == 0.0
    assert found.upper == pytest.approx(3.8 / 1000, rel=0.02)


def test_interval_of_half_is_that_of_wilson() -> None:
    found = share_interval(50, 100)
    assert found == pytest.approx((0.4038, 0.5962), abs=0.0001)


def test_all_is_an_end_too() -> None:
    found = share_interval(10, 10)
    assert found is not None
    assert found.upper == 1.0


def test_without_requests_there_is_no_share() -> None:
    assert share_interval(0, 0) is None


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
