"""Series that fit into the share of one step run; what is left of one that breaks off."""

from datetime import timedelta
from typing import Any

import pytest
from numpy import array
from numpy.random import default_rng

from solrbench.analysis.samples import ALL_REQUESTS, RunSamples
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.result_rules import MAX_RECORDS, MAX_REPORT_BYTES
from solrbench.contract.foreign import decode_json
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.server_document import Telemetry
from solrbench.contract.step_document import SlowRequest, StepRunResult
from solrbench.contract.storage import MAX_RESULT_BYTES, to_chunks
from solrbench.contract.windows import CacheSample, RequestWindow
from solrbench.load.master.diagnostics import MAX_RECORDING_BYTES, MAX_TEXT_BYTES
from solrbench.load.master.distributed_step_run import RunningTotals
from solrbench.load.master.step_run import StepRunMetadata
from solrbench.load.master.step_run_documents import (
    MAX_POINTS,
    POINT_BYTES,
    RECORD_BYTES,
    limit_series,
    partial_result,
)
from solrbench.load.recording.request_stats import pack_times
from solrbench.load.schedule.messages import LiveTotals
from solrbench.stats.histograms import bucket_of
from support.load.coordinated_run import TIMED, Run
from support.load.worker_results import BEGAN, PLANNED
from support.narrowing import not_none
from support.results.builders import START, make_document, make_result

ROOMY = 1 << 30
LONG = TIMED | {"durationSeconds": 600}
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


def test_all_workers_lost_leaves_what_they_reported() -> None:
    run = Run(LONG)
    run.at(100, lambda: run.load.lose("a", "b"))
    run.fail()
    found = not_none(run.coordinator.unfinished())
    assert found.ended_early is not None
    assert found.id == "r1-s0-timed"
    # Workers join and spawn in the first seconds, then each has ten requests a second.
    assert 90 <= found.seconds <= 100
    assert found.requests[0].requests == pytest.approx(20 * found.seconds, abs=40)
    assert sum(each.requests for each in found.requests[0].windows) > 1700
    assert found.ended_early.failures == 0
    assert found.ended_early.last_good_second == pytest.approx(found.seconds, abs=2)


def test_first_symptom_is_the_last_good_response() -> None:
    run = Run(LONG)
    run.workers.fails_from_second = 30
    run.at(100, lambda: run.load.lose("a", "b"))
    run.fail()
    found = not_none(run.coordinator.unfinished())
    assert found.ended_early is not None
    assert 27 <= found.ended_early.last_good_second <= 31
    assert found.ended_early.failures > 1000


@pytest.mark.parametrize("changes", [{}, {"warmUp": {"durationSeconds": 60}}])
def test_nothing_is_left_before_measuring(changes: dict[str, Any]) -> None:
    run = Run(LONG, **changes)
    assert run.coordinator.unfinished() is None
    run.at(2 if not changes else 30, lambda: run.load.lose("a", "b"))
    run.fail()
    assert run.coordinator.unfinished() is None


def test_a_step_that_ended_is_not_unfinished() -> None:
    run = Run(TIMED)
    run.run()
    assert run.coordinator.unfinished() is None


def test_telemetry_of_a_step_that_breaks_off_is_kept() -> None:
    read = Telemetry(missing=["no metrics"])
    metadata = StepRunMetadata(1, BEGAN, telemetry=read)
    assert partial_result(PLANNED, RunningTotals(), 5.0, metadata).telemetry == read


@pytest.mark.parametrize(
    ("load", "rate"),
    [
        ({"users": 3}, None),
        ({"requestsPerSecond": 4, "rateChanges": [{"atSeconds": 0, "requestsPerSecond": 8}]}, 8),
        ({"replay": {}}, 6),
    ],
)
def test_planned_rate_of_a_step_that_breaks_off(load: dict[str, Any], rate: float | None) -> None:
    step = Step.model_validate({"name": "storm", "durationSeconds": 9} | load)
    planned, so_far = PLANNED.model_copy(update={"step": step}), RunningTotals()
    so_far.begin(0.0)
    times = pack_times({bucket_of(3000): 30})
    so_far.add(LiveTotals(0, 0, 0, 0), LiveTotals(1, 30, 0, 90_000), times, 5.0)
    found = partial_result(planned, so_far, 5.0, StepRunMetadata(1, BEGAN))
    assert found.requests_per_second == rate
    perceived = RunSamples(found).of(ALL_REQUESTS).perceived
    assert perceived.average == pytest.approx(3000, rel=0.02)
