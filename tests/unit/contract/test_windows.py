"""Windows of a stored step run as columns."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from solrbench.contract.windows import Window, WindowSeries

WINDOWS = [
    Window(second=0, requests=2, failures=1, mean_microseconds=10, max_microseconds=15),
    Window(second=1, requests=0, failures=0),
    Window(second=10, requests=1, failures=0, mean_microseconds=40, max_microseconds=40),
]


class _Stored(BaseModel):
    windows: WindowSeries


def test_windows_are_stored_as_objects_and_read_back() -> None:
    stored = _Stored(windows=WindowSeries(WINDOWS)).model_dump(by_alias=True, exclude_none=True)
    assert stored["windows"][1] == {"second": 1, "requests": 0, "failures": 0}
    assert stored["windows"][0]["meanMicroseconds"] == 10
    assert _Stored.model_validate(stored).windows == WindowSeries(WINDOWS)


def test_series_is_a_sequence_of_windows() -> None:
    series = WindowSeries(WINDOWS)
    assert (list(series), series[2], series[1:]) == (WINDOWS, WINDOWS[2], WINDOWS[1:])
    assert series != WindowSeries(WINDOWS[:2])


def test_rolled_up_windows_have_the_mean_of_all_requests() -> None:
    first, second = WindowSeries(WINDOWS).rolled_up(10)
    assert first == Window(
        second=0, requests=2, failures=1, mean_microseconds=10, max_microseconds=15
    )
    assert second.second == 10


@pytest.mark.parametrize(
    "stored", [3, [3], [{"second": 1}], [{"second": 1, "requests": "x", "failures": 0}]]
)
def test_what_is_no_series_is_refused(stored: Any) -> None:
    with pytest.raises(ValidationError):
        _Stored(windows=stored)
