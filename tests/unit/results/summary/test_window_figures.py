"""Step runs without their windows give the same status."""

import tracemalloc

import pytest

from solrbench.results.model.step_result import SlowRequest, StepRunResult, Window
from solrbench.results.model.windows import CacheSample, OutlierWindow, RequestWindow
from solrbench.results.summary.cold_start import summarise_cold_start
from solrbench.results.summary.step_results import merge_steps, summarise
from solrbench.results.summary.window_figures import condense
from solrbench.results.validity.verdict import evaluate_steps
from unit.results.builders import START, make_document, make_result, make_spec

THOUSAND = RequestWindow(
    requests=1000,
    failures=0,
    end_seconds=1.0,
    seconds=1.0,
    mean_microseconds=1000,
    max_microseconds=2000,
)


def whole(seconds: int = 20, names: int = 2, failures: int = 0) -> StepRunResult:
    windows = [
        Window(
            second=second,
            requests=100,
            failures=failures if second % 2 else 0,
            mean_microseconds=1000 + 7 * second,
            max_microseconds=5000 + second,
        )
        for second in range(seconds)
    ]
    slow = SlowRequest(query="q=*:*", service_time_microseconds=5000, second=1.0)
    results = [
        make_result([1000] * 300, name=f"name-{n}").model_copy(
            update={
                # One by one, as parsing makes them.
                "windows": [each.model_copy() for each in windows],
                "slow_requests": [slow],
            }
        )
        for n in range(names)
    ]
    outlier = OutlierWindow(second=3, time=START, requests=9, median_microseconds=1000)
    return make_document("five", 1, *results, seconds=float(seconds)).model_copy(
        update={
            "thousands": [THOUSAND] * 4,
            "warm_up_thousands": [],
            "caches": [CacheSample(second=1.0, cache="filterCache", lookups=2, hits=1)],
            "steady_from_second": 5,
            "outlier_windows": 1,
            "outliers": [outlier],
        }
    )


@pytest.mark.parametrize("failures", [0, 100])
def test_status_of_a_condensed_step_run_is_that_of_the_whole(failures: int) -> None:
    spec, document = make_spec("five"), whole(failures=failures)
    condensed = condense(document, spec.load.validity.max_failed_percent)
    assert all(not each.windows for each in condensed.requests)
    assert merge_steps(spec, [condensed]) == merge_steps(spec, [document])
    assert summarise(spec, [condensed]) == summarise(spec, [document])
    assert evaluate_steps(spec, [condensed]) == evaluate_steps(spec, [document])
    cold = summarise_cold_start([condensed])
    assert cold == summarise_cold_start([document])
    assert cold is not None
    assert cold.steady_average_milliseconds


def test_condensing_twice_changes_nothing_more() -> None:
    once = condense(whole(), 1)
    assert condense(once, 1) is once
    assert condense(once, 50).window_figures == once.window_figures


def test_wide_windows_are_named_in_the_verdict() -> None:
    load = {
        "validity": {"maxFailedPercent": 40},
        "steps": [{"name": "five", "users": 2, "requests": 10}],
    }
    spec = make_spec(load=load)
    document = whole(seconds=21, failures=100).model_copy(update={"window_seconds": 10})
    results = [each.model_copy(update={"windows": each.windows[1:]}) for each in document.requests]
    document = document.model_copy(update={"requests": results[:1]})
    (verdict,) = evaluate_steps(spec, [document])
    messages = {each.reason: each.message for each in verdict.reasons}
    assert messages["RequestsFailed"].startswith("in 10 of 20 windows of 10 s more than 40 %")


def test_a_long_step_run_takes_little_memory() -> None:
    """The operator keeps every step run of a ladder: 32 steps x 3 repeats in this case."""
    seconds, names, step_runs, most_mb = 600, 10, 96, 100
    tracemalloc.start()
    try:
        condensed = condense(whole(seconds, names), 1)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert condensed.window_figures is not None
    assert kept * step_runs < most_mb << 20
