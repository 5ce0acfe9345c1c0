"""Windows rolled up: everything in them stays, and they stay few."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from solrbench.load.recording.window_sums import (
    LATEST_SECONDS,
    MAX_WINDOWS,
    SecondSums,
    WindowSums,
    add_windows,
    roll_up,
    width_of,
)

DAY = 86_400


def recorded(seconds: int, step: int = 1) -> WindowSums:
    found = WindowSums()
    for second in range(0, seconds, step):
        found.append(SecondSums(second, 2, second % 2, 10 * second, second))
    return found


@pytest.mark.parametrize(
    ("seconds", "width"), [(60, 1), (3600, 1), (3601, 10), (DAY, 60), (10 * DAY, 600)]
)
def test_width_grows_with_the_length_of_a_step(seconds: int, width: int) -> None:
    assert width_of(seconds) == width


def test_day_keeps_few_windows_and_all_requests() -> None:
    windows = recorded(DAY)
    assert len(windows) <= MAX_WINDOWS + LATEST_SECONDS
    assert sum(each.requests for each in windows) == 2 * DAY
    assert sum(each.failures for each in windows) == DAY // 2
    assert sum(each.sum_microseconds for each in windows) == 10 * sum(range(DAY))
    assert max(each.max_microseconds for each in windows) == DAY - 1
    assert windows[0].seconds > 1


def test_latest_seconds_of_a_day_stay_single() -> None:
    sent = WindowSums.decode(recorded(DAY).encode())
    assert [each.seconds for each in sent[-LATEST_SECONDS:]] == [1] * LATEST_SECONDS
    assert {each.seconds for each in sent[:1000]} == {60}


def test_short_step_keeps_every_second() -> None:
    windows = recorded(MAX_WINDOWS)
    assert WindowSums.decode(windows.encode()) == windows
    assert windows.width == 1


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(1, 9)), min_size=1),
    st.sampled_from([10, 60]),
)
def test_windows_added_then_rolled_up_are_those_rolled_up_then_added(
    seconds: list[tuple[int, int]], width: int
) -> None:
    ordered = sorted(dict(seconds).items())
    part = WindowSums(SecondSums(s, n, 0, n * s, s) for s, n in ordered)
    rolled = WindowSums.of_rows(roll_up(part.rows, width))
    first, _ = add_windows([part, part], width, math.inf)
    second, _ = add_windows([rolled, rolled], width, math.inf)
    assert first == second


def test_windows_behind_the_end_are_left_out_and_counted() -> None:
    kept, late = add_windows([recorded(10), recorded(12)], 1, 9)
    assert [each.second for each in kept] == list(range(9))
    assert late == 2 + 2 * 3


def test_no_windows_are_no_windows() -> None:
    assert WindowSums.decode(WindowSums().encode()) == WindowSums()
    assert list(add_windows([], 60, math.inf)[0]) == []


class _Message(BaseModel):
    windows: WindowSums


@pytest.mark.parametrize("stored", ["?", "AAAA", recorded(9).encode()[:-8]])
def test_damaged_windows_are_refused(stored: str) -> None:
    with pytest.raises(ValidationError):
        _Message(windows=stored)
