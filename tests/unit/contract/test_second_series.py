"""The seconds of a step run: rolled up, added, sent, stored and read back."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from solrbench.contract.second_series import (
    LATEST_SECONDS,
    MAX_WINDOWS,
    SecondSeries,
    SecondSums,
    width_of,
)
from solrbench.contract.windows import Window

DAY = 86_400


def recorded(seconds: int) -> SecondSeries:
    return SecondSeries(
        SecondSums(second, 2, second % 2, 10 * second, second) for second in range(seconds)
    )


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
    assert (windows.width, windows[1].second - windows[0].second) == (60, 60)


def test_latest_seconds_of_a_day_stay_single() -> None:
    sent = SecondSeries.decode(recorded(DAY).encode())
    latest = range(DAY - LATEST_SECONDS, DAY)
    assert [each.second for each in sent[-LATEST_SECONDS:]] == [*latest]
    assert [each.second for each in sent[:1000]] == list(range(0, 60_000, 60))
    assert sent.width == 60


def test_short_step_keeps_every_second() -> None:
    windows = recorded(MAX_WINDOWS)
    assert SecondSeries.decode(windows.encode()) == windows
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
    part = SecondSeries(SecondSums(s, n, 0, n * s, s) for s, n in ordered)
    first = SecondSeries.merged([part, part]).rolled_up(width)
    rolled = part.rolled_up(width)
    assert SecondSeries.merged([rolled, rolled]) == first
    assert SecondSeries.merged([rolled, rolled]).rolled_up(width) == first


def test_windows_behind_the_end_are_left_out_and_counted() -> None:
    both = SecondSeries.merged([recorded(10), recorded(12)])
    kept = both.before(9)
    assert [each.second for each in kept] == list(range(9))
    assert both.requests - kept.requests == 2 + 2 * 3
    assert both.before(math.inf) == both


def test_no_windows_are_no_windows() -> None:
    assert SecondSeries.decode(SecondSeries().encode()) == SecondSeries()
    assert list(SecondSeries.merged([]).rolled_up(60)) == []


@pytest.mark.parametrize("stored", ["?", "AAAA", recorded(9).encode()[:-8]])
def test_damaged_windows_are_refused(stored: str) -> None:
    with pytest.raises(ValueError, match="not the windows of a step run"):
        SecondSeries.decode(stored)


WINDOWS = [SecondSums(0, 2, 1, 21, 15), SecondSums(1, 0, 0, 0, 0), SecondSums(10, 1, 0, 40, 40)]


class _Stored(BaseModel):
    windows: SecondSeries


def test_windows_are_stored_as_objects_and_read_back() -> None:
    stored = _Stored(windows=SecondSeries(WINDOWS)).model_dump(by_alias=True, exclude_none=True)
    assert stored["windows"][1] == {"second": 1, "requests": 0, "failures": 0}
    assert stored["windows"][0]["meanMicroseconds"] == 10
    read = _Stored.model_validate(stored)
    assert [each.mean_microseconds for each in read.windows] == [10, None, 40]
    assert read.model_dump(by_alias=True, exclude_none=True) == stored
    assert [Window.model_validate(each).second for each in stored["windows"]] == [0, 1, 10]


def test_series_is_a_sequence_of_windows() -> None:
    series = SecondSeries(WINDOWS)
    assert (list(series), series[2], series[1:]) == (WINDOWS, WINDOWS[2], WINDOWS[1:])
    assert series != SecondSeries(WINDOWS[:2])


def test_rolled_up_windows_have_the_mean_of_all_requests() -> None:
    first, second = SecondSeries(WINDOWS).rolled_up(10)
    assert first == (0, 2, 1, 21, 15)
    assert second.second == 10


@pytest.mark.parametrize(
    "stored",
    [
        3,
        [3],
        [{"second": 1}],
        [{"second": 1, "requests": "x", "failures": 0}],
        [{"second": 2**63, "requests": 1, "failures": 0}],
    ],
)
def test_what_is_no_series_is_refused(stored: Any) -> None:
    with pytest.raises(ValidationError):
        _Stored(windows=stored)
