"""From what workers measured of themselves to the verdict on a step."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.load.load import OnWorkerLoss
from solrbench.results.model.step_result import (
    WorkerResult,
)
from solrbench.results.validity.step_verdicts import evaluate_step
from unit.results.validity.documents import (
    healthy,
    load,
    messages_by_reason,
    open_loop,
    verdict_of,
    worker,
)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"cpu_seconds": 9.5}, "worker w-0 used 95 % of a core for 10 s (limit 90 %)"),
        (
            {"core_cpu_seconds": 3.0, "core_waiting_seconds": 6.2},
            "engine thread of worker w-0 was busy or runnable for 92 % of 10 s (3 s on a CPU,",
        ),
        (
            {"cpu_seconds": 4.75, "cpu_limit_cores": 0.5},
            "worker w-0 used 95 % of its CPU limit of 0.5 cores for 10 s (limit 90 %)",
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
    assert (
        "limit 50 %"
        in messages_by_reason(verdict_of(document, max_worker_cpu_percent=50))["WorkerSaturated"]
    )


def test_worker_of_an_older_version_is_checked_by_the_seconds_of_the_step() -> None:
    old = WorkerResult(worker="w-0", requests=200, cpu_seconds=9.9, users=2)
    verdict = verdict_of(healthy(workers=[old], pods=None))
    assert "used 99 % of a core for 10 s" in messages_by_reason(verdict)["WorkerSaturated"]
    unknown = {"PodThrottled", "PodRestarted", "CpuStolen", "CpuPressure"}
    assert {each.reason for each in verdict.unchecked} == unknown


def test_lag_counts_in_an_open_loop_only() -> None:
    lagging = [worker(lag_p99_microseconds=12_500)]
    document = open_loop(200).model_copy(update={"workers": lagging})
    assert messages_by_reason(verdict_of(document)) == {
        "ScheduleLag": "worker w-0 delayed requests by 12.5 ms (p99, limit 10 ms)"
    }
    closed = document.model_copy(update={"requests_per_second": None, "planned_requests": None})
    assert verdict_of(closed).verdict == "Valid"


def test_missing_lag_is_listed_as_unchecked() -> None:
    document = open_loop(200).model_copy(update={"workers": [worker()]})
    verdict = verdict_of(document)
    assert verdict.verdict == "Valid"
    assert [(each.reason, each.message) for each in verdict.unchecked] == [
        ("ScheduleLag", "no lag of w-0")
    ]


def test_lost_workers_are_named() -> None:
    document = healthy(lost_workers=["w-1"])
    assert messages_by_reason(evaluate_step("a", "", [document], load(workers=2))) == {
        "WorkersLost": "1 of 2 workers were lost: w-1 (limit 0)"
    }
    assert messages_by_reason(evaluate_step("a", "", [healthy()], load(workers=3))) == {
        "WorkersLost": "2 of 3 workers were lost (limit 0)"
    }


def test_step_that_those_left_ran_whole_is_valid() -> None:
    goes_on = load(workers=3).model_copy(update={"on_worker_loss": OnWorkerLoss.REDISTRIBUTE})
    assert evaluate_step("a", "", [healthy()], goes_on).verdict == "Valid"
    aborted = healthy(lost_workers=["w-1"])
    assert messages_by_reason(evaluate_step("a", "", [aborted], goes_on)) == {
        "WorkersLost": "1 of 3 workers were lost: w-1 (limit 0)"
    }


def test_throttled_worker_is_invalid() -> None:
    held = worker(throttled_seconds=2.5, cpu_limit_cores=0.5, cpu_seconds=1.0)
    assert messages_by_reason(verdict_of(healthy(workers=[held]))) == {
        "PodThrottled": (
            "worker w-0 was CPU-throttled for 2.5 s of 10 s at 0.5 cores (25 %, limit 1 %)"
        )
    }
    assert verdict_of(healthy(workers=[worker(throttled_seconds=0.1)])).verdict == "Valid"


def test_step_run_without_duration_saturates_no_worker() -> None:
    idle = worker(cpu_seconds=0.001, core_cpu_seconds=0.0, measured_seconds=0.0)
    verdict = verdict_of(healthy(workers=[idle], requests=[], seconds=0.0))
    assert set(messages_by_reason(verdict)) == {"TooFewSamples"}


def test_cpu_time_that_others_took_is_invalid_with_number_and_limit() -> None:
    slow = worker(stolen_seconds=0.7, pressure_seconds=6.0)
    assert messages_by_reason(verdict_of(healthy(workers=[worker("w-1"), slow]))) == {
        "CpuStolen": "the host took 0.7 s of each CPU of the node of worker w-0 in 10 s (7 %, limit"
        " 5 %)",
        "CpuPressure": "processes waited for a CPU for 6 s in the pod of worker w-0 in 10 s (60 %,"
        " limit 50 %)",
    }
    limits = {"max_stolen_percent": 7, "max_cpu_pressure_percent": 60}
    assert verdict_of(healthy(workers=[slow]), **limits).verdict == "Valid"


def test_cpu_time_of_others_that_cannot_be_read_is_unchecked() -> None:
    unknown = worker(stolen_seconds=None, pressure_seconds=None)
    verdict = verdict_of(healthy(workers=[unknown]))
    assert {each.reason: each.message for each in verdict.unchecked} == {
        "CpuStolen": "no steal time of worker w-0 could be read",
        "CpuPressure": "no cpu.pressure of worker w-0 could be read",
    }
