from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from solrbench.analysis.cold_start import (
    MAX_STRETCHES,
    average_stretches,
    by_cache,
    cold_start,
    first_step_run,
    hit_ratios,
    summarise_cold_start,
)
from solrbench.api.v1alpha1.step_details import ColdStart
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import CacheSample, RequestWindow
from support.narrowing import not_none
from support.results.builders import START, make_document, make_result


def window(begin: float, end: float, requests: int = 1000, mean: int = 500) -> RequestWindow:
    return RequestWindow(
        requests=requests,
        failures=0,
        end_seconds=end,
        seconds=end - begin,
        mean_microseconds=mean,
        max_microseconds=2 * mean,
    )


def samples(*counts: tuple[float, int, int], cache: str = "filterCache") -> list[CacheSample]:
    return [CacheSample(second=s, cache=cache, lookups=n, hits=hits) for s, n, hits in counts]


def test_curve_runs_through_the_warm_up_into_the_step() -> None:
    document = make_document(
        "five",
        1,
        warm_up_thousands=[window(0, 3), window(3, 4)],
        warm_up_caches=samples((-0.1, 0, 0), (4.1, 100, 25)),
        thousands=[window(0, 1, 300)],
        caches=samples((0, 100, 25), (1, 200, 125)),
    )
    found = cold_start(document)
    assert [(each.number, each.warm_up) for each in found] == [(1, True), (2, True), (3, False)]
    assert [each.window.requests for each in found] == [1000, 1000, 300]
    before, after = {"filterCache": 0.25}, {"filterCache": 1.0}
    assert [each.hit_ratios for each in found] == [before, before, after]


def test_a_curve_in_short_has_stretches_of_twice_as_many_requests() -> None:
    windows = [window(each, each + 1, mean=1000 * (each + 1)) for each in range(6)]
    last = window(6, 6.5, requests=500, mean=9000)
    document = make_document("five", 1, thousands=[*windows, last])
    # 5, 6 and half of 9 by their requests: the last stretch is not whole.
    assert average_stretches(cold_start(document)) == [1.0, 2.0, 3.5, 6.2]
    assert average_stretches([]) == []


def test_a_long_curve_in_short_has_all_that_is_left_at_its_end() -> None:
    document = make_document("five", 1, thousands=[window(0, 1, mean=1000)] * 5000)
    assert average_stretches(cold_start(document)) == [1.0] * MAX_STRETCHES


def test_ratio_is_that_of_the_seconds_around_the_window() -> None:
    heard = samples((0, 0, 0), (1, 100, 10), (2, 200, 40), (3, 300, 130))
    assert hit_ratios(window(1.2, 1.4), by_cache(heard)) == {"filterCache": 0.3}
    assert hit_ratios(window(1.0, 2.0), by_cache(heard)) == {"filterCache": 0.3}
    assert hit_ratios(window(0.9, 2.1), by_cache(heard)) == {"filterCache": 130 / 300}


@pytest.mark.parametrize(
    "heard",
    [
        (),
        samples((1, 10, 5), (3, 20, 5)),  # nothing before it
        samples((0, 10, 5), (1, 20, 5)),  # nothing after it
        samples((0, 10, 5), (3, 10, 5)),  # without lookups
        samples((0, 10, 5), (3, 4, 1)),  # the core was loaded again
        samples((0, 10, 5), (3, 40, 1)),
    ],
)
def test_what_is_not_known_has_no_ratio(heard: Sequence[CacheSample]) -> None:
    assert hit_ratios(window(0.5, 2), by_cache(heard)) == {}


def test_caches_are_kept_apart() -> None:
    heard = samples((0, 0, 0), (1, 10, 5)) + samples((0, 0, 0), (1, 4, 4), cache="documentCache")
    assert hit_ratios(window(0, 1), by_cache(heard)) == {"filterCache": 0.5, "documentCache": 1.0}


def begun(**fields: Any) -> StepRunResult:
    """Return a step run of four seconds that was steady from the second one on."""
    seconds = [(0, 400, 9000), (1, 800, 2000), (2, 200, 1000), (3, 50, 70_000)]
    windows = SecondSeries(
        SecondSums(second, requests, 0, requests * mean, 0) for second, requests, mean in seconds
    )
    thousands = [window(0, 2.5, mean=6000), window(2.5, 3)]
    begin: dict[str, Any] = {"outlier_windows": 0, "thousands": thousands, "steady_from_second": 1}
    return make_document("five", 1, make_result([1000], windows=windows), **begin | fields)


def test_the_first_thousand_stands_beside_the_steady_part() -> None:
    found = summarise_cold_start(begun())
    assert found == ColdStart(
        step="five",
        in_warm_up=False,
        first_thousand_seconds=2.5,
        first_thousand_average_milliseconds=6.0,
        first_thousand_max_milliseconds=12.0,
        steady_average_milliseconds=1.8,
    )


def test_the_warm_up_comes_first() -> None:
    document = begun(warm_up_thousands=[window(0, 4, mean=8000)], variant="raw")
    found = not_none(summarise_cold_start(document))
    assert (found.variant, found.in_warm_up) == ("raw", True)
    assert (found.first_thousand_seconds, found.first_thousand_average_milliseconds) == (4.0, 8.0)


def test_only_the_first_measured_step_run_is_cold() -> None:
    first, unmeasured = begun(), begun(outlier_windows=None, start_time=START - timedelta(hours=1))
    later = begun(start_time=START + timedelta(hours=1))
    assert first_step_run([later, unmeasured, first]) is first
    assert first_step_run([unmeasured]) is None


def test_whole_transactions_are_not_in_the_steady_mean() -> None:
    document = begun()
    whole = document.requests[0].model_copy(update={"request": "t", "is_transaction": True})
    slower = SecondSeries(
        each._replace(sum_microseconds=10**6 * each.requests) for each in whole.windows
    )
    both = [document.requests[0], whole.model_copy(update={"windows": slower})]
    found = not_none(summarise_cold_start(document.model_copy(update={"requests": both})))
    assert found.steady_average_milliseconds == 1.8


def test_what_never_was_steady_has_no_steady_mean() -> None:
    found = not_none(summarise_cold_start(begun(steady_from_second=None)))
    assert found.steady_average_milliseconds is None


@pytest.mark.parametrize(
    "fields",
    [
        {"thousands": []},
        {"thousands": [window(0, 2, requests=999)]},
        {"warm_up_thousands": [window(0, 2, requests=999)]},
        {"lost_workers": ["w-1"]},
    ],
)
def test_there_is_no_cold_start_without_a_whole_first_thousand(fields: dict[str, object]) -> None:
    assert summarise_cold_start(begun(**fields)) is None
