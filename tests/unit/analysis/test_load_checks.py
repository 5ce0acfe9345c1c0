"""From what workers measured of themselves to the verdict on a step."""

from typing import Any

import pytest

from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.contract.step_document import UsageSlice, WorkerResult
from support.results.validity_documents import (
    delayed,
    healthy,
    load,
    messages_by_reason,
    open_loop,
    seen,
    verdict_of,
    worker,
)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        (
            {"core_cpu_seconds": 3.0, "core_waiting_seconds": 6.2},
            "engine thread of load worker w-0 was busy or runnable for 92 % of 10 s (3 s on a CPU,",
        ),
        (
            {"cpu_seconds": 4.75, "cpu_limit_cores": 0.5},
            "Load worker w-0 used 95 % of its CPU limit of 0.5 cores for 10 s (limit 90 %)",
        ),
        ({"cpu_seconds": 9.5, "cpu_limit_cores": 4.0}, "95 % of a core"),
    ],
)
def test_worker_above_its_cpu_limit_is_invalid(fields: dict[str, Any], part: str) -> None:
    verdict = verdict_of(healthy(workers=[worker(), worker(**fields)]))
    assert verdict.verdict == "Invalid"
    assert part in messages_by_reason(verdict)["WorkerSaturated"]


@pytest.mark.parametrize(
    "fields", [{"cpu_seconds": 9.0}, {"core_cpu_seconds": 5.0, "core_waiting_seconds": 4.0}]
)
def test_worker_at_its_cpu_limit_is_valid(fields: dict[str, Any]) -> None:
    assert verdict_of(healthy(workers=[worker(**fields)])).verdict == "Valid"


def test_bounds_are_those_of_the_spec() -> None:
    document = healthy(workers=[worker(cpu_seconds=6.0)])
    assert verdict_of(document).verdict == "Valid"
    limited = messages_by_reason(verdict_of(document, max_worker_cpu_percent=50))
    assert "limit 50 %" in limited["WorkerSaturated"]


def test_worker_of_an_older_version_is_checked_by_the_seconds_of_the_step() -> None:
    old = WorkerResult(worker="w-0", requests=200, cpu_seconds=9.9, users=2)
    verdict = verdict_of(healthy(workers=[old], pods=None))
    assert "used 99 % of a core for 10 s" in messages_by_reason(verdict)["WorkerSaturated"]
    unknown = {"PodThrottled", "PodRestarted", "CpuStolen", "CpuPressure"}
    assert {each.reason for each in verdict.unchecked} == unknown


def test_lag_counts_in_an_open_loop_only() -> None:
    lagging = [worker(lag_p99_microseconds=12_500)]
    document = open_loop(200).model_copy(update={"workers": lagging})
    assert verdict_of(document).verdict == "Invalid"
    closed = document.model_copy(update={"requests_per_second": None, "planned_requests": None})
    assert verdict_of(closed).verdict == "Valid"


def test_missing_lag_is_listed_as_unchecked() -> None:
    document = open_loop(200).model_copy(update={"workers": [worker()]})
    verdict = verdict_of(document)
    (gap,) = verdict.unchecked
    assert (verdict.verdict, gap.reason) == ("Valid", "ScheduleLag")
    assert gap.message == "No lag of w-0."


def test_workers_that_never_took_part_are_lost() -> None:
    found = messages_by_reason(verdict_of(healthy(), workers=3))
    assert found == {"WorkersLost": "2 of 3 workers were lost (limit 0)"}


def test_step_that_those_left_ran_whole_is_valid() -> None:
    goes_on = load(workers=3).model_copy(update={"on_worker_loss": OnWorkerLoss.REDISTRIBUTE})
    whole, aborted = (
        evaluate_step([evaluate_document(each, goes_on)], goes_on)
        for each in (healthy(), healthy(lost_workers=["w-1"]))
    )
    assert whole.verdict == "Valid"
    assert messages_by_reason(aborted) == {"WorkersLost": "1 of 3 workers were lost: w-1 (limit 0)"}


def test_worker_without_a_request_is_not_saturated() -> None:
    idle = worker(requests=0, cpu_seconds=0.0002, core_cpu_seconds=0.0002, measured_seconds=0.0002)
    assert verdict_of(healthy(workers=[worker(), idle])).verdict == "Valid"


def test_step_run_without_duration_saturates_no_worker() -> None:
    idle = worker(cpu_seconds=0.001, core_cpu_seconds=0.0, measured_seconds=0.0)
    verdict = verdict_of(healthy(workers=[idle], requests=[], seconds=0.0))
    assert set(messages_by_reason(verdict)) == {"TooFewSamples"}


@pytest.mark.parametrize(
    ("lost", "limit"),
    [
        ({"throttled_seconds": 0.1}, {}),
        ({"stolen_seconds": 0.7}, {"max_stolen_percent": 7}),
        ({"pressure_seconds": 6.0}, {"max_cpu_pressure_percent": 60}),
    ],
)
def test_worker_that_lost_as_much_time_as_its_limit_is_valid(
    lost: dict[str, Any], limit: dict[str, int]
) -> None:
    assert verdict_of(healthy(workers=[worker(**lost)]), **limit).verdict == "Valid"


def test_cpu_time_of_others_that_cannot_be_read_is_unchecked() -> None:
    unknown = worker(stolen_seconds=None, pressure_seconds=None)
    verdict = verdict_of(healthy(workers=[unknown]))
    assert {each.reason: each.message for each in verdict.unchecked} == {
        "CpuStolen": "No steal time of worker w-0 could be read.",
        "CpuPressure": "No cpu.pressure of worker w-0 could be read.",
    }


def busy_slice(cpu: float, waiting: float = 0.0) -> UsageSlice:
    return UsageSlice(
        begin_seconds=35.02,
        seconds=5.0,
        cpu_seconds=cpu,
        core_cpu_seconds=cpu - 0.1,
        core_waiting_seconds=waiting,
    )


def test_worker_saturated_in_one_slice_is_invalid() -> None:
    half = worker(cpu_seconds=5.0, most_cpu=busy_slice(4.75), most_busy=busy_slice(4.2))
    text = "Load worker w-0 used 95 % of a core for 5 s, starting at second 35 (limit 90 %)"
    assert messages_by_reason(verdict_of(healthy(workers=[half]))) == {"WorkerSaturated": text}


def test_engine_thread_that_waits_in_one_slice_is_invalid() -> None:
    calm = busy_slice(2.0)
    waiting = worker(most_cpu=calm, most_busy=busy_slice(2.1, waiting=2.7))
    text = (
        "The engine thread of load worker w-0 was busy or runnable for 94 % of 5 s, starting at"
        " second 35 (2 s on a CPU, limit 90 %)"
    )
    assert messages_by_reason(verdict_of(healthy(workers=[waiting]))) == {"WorkerSaturated": text}
    assert verdict_of(healthy(workers=[worker(most_cpu=calm, most_busy=calm)])).verdict == "Valid"


@pytest.mark.parametrize(
    "fields",
    [
        delayed([3000] * 195 + [143_000] * 5, [3000] * 200),  # beyond the percentile asked for
        delayed([1900] * 200, [1000] * 200),  # less than a millisecond
        delayed([100_000] * 200, [96_000] * 200),  # less than 5 %
        delayed([143_000] * 200, None),
    ],
)
def test_delays_below_the_limit_are_valid(fields: dict[str, Any]) -> None:
    assert verdict_of(open_loop(200, **fields)).verdict == "Valid"


def test_a_worker_whose_locustfile_reports_no_times_can_be_compared() -> None:
    found = verdict_of(healthy(workers=[seen("w-0", 20, 100), seen("w-1", 0, 0)]), workers=2)
    assert "WorkersDiffer" in messages_by_reason(found)


@pytest.mark.parametrize(
    "workers",
    [
        [seen("w-0", 10, 50), seen("w-1", 14.9, 80)],
        [seen("w-0", 0.5, 0), seen("w-1", 1.4, 100)],
        # A few stalls more make another percentile of the same distribution.
        [seen("w-0", 10, 49), seen("w-1", 200, 51)],
    ],
)
def test_workers_that_differ_by_little_or_by_chance_are_valid(workers: list[WorkerResult]) -> None:
    assert verdict_of(healthy(workers=workers), workers=2).verdict == "Valid"


def test_workers_with_few_requests_are_not_compared() -> None:
    workers = [seen("w-0", 10, 10, requests=199), seen("w-1", 10, 10, requests=199)]
    verdict = verdict_of(healthy(workers=workers), workers=2)
    assert [(each.reason, each.message) for each in verdict.unchecked] == [
        ("WorkersDiffer", "Too few requests of each worker to compare their percentiles.")
    ]
