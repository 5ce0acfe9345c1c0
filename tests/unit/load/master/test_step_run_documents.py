"""Series that fit into the share of one step run."""

from datetime import timedelta
from typing import Any

import pytest
from numpy import array
from numpy.random import default_rng

from solrbench.api.v1alpha1.result_rules import MAX_RECORDS, MAX_REPORT_BYTES
from solrbench.contract.foreign import decode_json
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import SlowRequest, StepRunResult
from solrbench.contract.storage import MAX_RESULT_BYTES, to_chunks
from solrbench.contract.windows import CacheSample, RequestWindow
from solrbench.load.master.diagnostics import MAX_RECORDING_BYTES, MAX_TEXT_BYTES
from solrbench.load.master.step_run_documents import (
    MAX_POINTS,
    POINT_BYTES,
    RECORD_BYTES,
    limit_series,
)
from support.results.builders import START, make_document, make_result

ROOMY = 1 << 30
_RANDOM = default_rng(1)


def windows(seconds: int) -> SecondSeries:
    """Return windows with figures that compress no better than real ones."""
    return SecondSeries(
        SecondSums(
            second,
            requests := int(_RANDOM.integers(900, 1100)),
            0,
            requests * int(_RANDOM.integers(3000, 9000)),
            int(_RANDOM.integers(20_000, 900_000)),
        )
        for second in range(seconds)
    )


def thousands(count: int) -> list[RequestWindow]:
    return [
        RequestWindow(
            requests=1000,
            failures=0,
            end_seconds=number + 1.0,
            seconds=1.0,
            mean_microseconds=int(_RANDOM.integers(3000, 9000)),
            max_microseconds=int(_RANDOM.integers(20_000, 900_000)),
        )
        for number in range(count)
    ]


def samples(moments: int) -> list[CacheSample]:
    return [
        CacheSample(second=float(moment), cache=cache, lookups=moment, hits=moment)
        for moment in range(moments)
        for cache in ("documentCache", "filterCache", "queryResultCache")
    ]


def document(seconds: int, names: int = 1, curve: int = 0) -> StepRunResult:
    results = [make_result([1000], f"name-{n}", windows=windows(seconds)) for n in range(names)]
    given: Any = {"thousands": thousands(curve), "caches": samples(curve)}
    return make_document("five", 1, *results, seconds=float(seconds), **given)


def test_a_short_step_run_stays_as_it_is() -> None:
    short = document(60, names=3, curve=50)
    assert limit_series(short, ROOMY) == short


def test_windows_get_wider_until_they_fit() -> None:
    long = document(100).model_copy(update={"end_time": START + timedelta(seconds=100)})
    limited = limit_series(long, RECORD_BYTES + 2 * 12 * POINT_BYTES)
    (before,), (after,) = long.requests, limited.requests
    assert limited.window_seconds == 10
    assert [each.second for each in after.windows] == list(range(0, 100, 10))
    assert sum(w.requests for w in after.windows) == sum(w.requests for w in before.windows)
    assert max(w.max_microseconds or 0 for w in after.windows) == max(
        w.max_microseconds or 0 for w in before.windows
    )
    first = before.windows[:10]
    total = sum((w.mean_microseconds or 0) * w.requests for w in first)
    assert after.windows[0].mean_microseconds == total // sum(w.requests for w in first)


@pytest.mark.slow
def test_a_day_with_many_names_keeps_few_points() -> None:
    rows = [(second, 1, 0, 1, 1) for second in range(0, 86_400, 2)]
    series = SecondSeries.of_rows(array(rows))
    results = [make_result([1000], f"name-{n}", windows=series) for n in range(2)]
    limited = limit_series(make_document("day", 1, *results), ROOMY)
    assert limited.window_seconds == 15
    assert sum(len(each.windows) for each in limited.requests) <= MAX_POINTS // 2


def test_curve_is_cut_at_its_end_and_samples_get_fewer() -> None:
    limited = limit_series(document(1, curve=100), RECORD_BYTES + 8 * 60 * POINT_BYTES)
    assert [each.end_seconds for each in limited.thousands] == [n + 1.0 for n in range(60)]
    assert len(limited.caches) <= 60
    assert {each.second for each in limited.caches} == set(map(float, range(4, 100, 5)))


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "names"), [(160, 50), (MAX_RECORDS // 2, 2)])
def test_the_largest_report_stays_within_its_limit(runs: int, names: int) -> None:
    slow = [
        SlowRequest(
            query=_RANDOM.bytes(150).hex(), service_time_microseconds=900_000, second=float(n)
        )
        for n in range(10)
    ]
    times = list(map(int, _RANDOM.lognormal(9, 1.5, 20_000).clip(1, 3_600_000_000)))
    result = make_result(times, windows=windows(2000), slow_requests=slow)
    result = result.model_copy(update={"response_time_histogram": result.service_time_histogram})
    results = [result.model_copy(update={"request": f"name-{n}"}) for n in range(names)]
    given: Any = {"thousands": thousands(5000), "caches": samples(3600)}
    largest = make_document("all", 1, *results, **given)
    limited = limit_series(largest, MAX_REPORT_BYTES // runs)
    text = limited.model_dump_json(by_alias=True).encode()
    assert len(text) + MAX_TEXT_BYTES + MAX_RECORDING_BYTES < MAX_RESULT_BYTES
    decode_json(text)
    stored = to_chunks(limited)
    assert sum(map(len, stored.chunks)) * runs <= MAX_REPORT_BYTES
