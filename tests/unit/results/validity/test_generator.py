"""Verdicts on the load generator: its worst slice, its own delays, and workers that differ."""

from typing import Any

import pytest

from solrbench.results.model.step_result import UsageSlice, WorkerResult
from support.results.validity.generator import delayed, seen
from unit.results.validity.documents import (
    healthy,
    messages_by_reason,
    open_loop,
    verdict_of,
    worker,
)


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
    assert messages_by_reason(verdict_of(healthy(workers=[half]))) == {
        "WorkerSaturated": "worker w-0 used 95 % of a core for 5 s from second 35 on (limit 90 %)"
    }


def test_engine_thread_that_waits_in_one_slice_is_invalid() -> None:
    calm = busy_slice(2.0)
    waiting = worker(most_cpu=calm, most_busy=busy_slice(2.1, waiting=2.7))
    assert messages_by_reason(verdict_of(healthy(workers=[waiting]))) == {
        "WorkerSaturated": (
            "the engine thread of worker w-0 was busy or runnable for 94 % of 5 s from second 35"
            " on (2 s on a CPU, limit 90 %)"
        )
    }
    assert verdict_of(healthy(workers=[worker(most_cpu=calm, most_busy=calm)])).verdict == "Valid"


def test_tail_that_the_generator_made_is_invalid() -> None:
    fields = delayed([3000] * 180 + [143_000] * 20, [3000] * 180 + [4000] * 20)
    assert messages_by_reason(verdict_of(open_loop(200, **fields))) == {
        "DelayedByGenerator": (
            "the workers' own delays raised p95 of the response times of query from 4 ms to 143 ms"
            " (3474 %, limit 5 %)"
        )
    }


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


def test_worker_that_is_slower_than_the_others_is_named() -> None:
    workers = [seen("w-0", 10, 20), seen("w-1", 24, 110), seen("w-2", 10.4, 20)]
    message = messages_by_reason(verdict_of(healthy(workers=workers), workers=3))["WorkersDiffer"]
    assert message.startswith(
        "p95 of worker w-1 is 24 ms, 135 % above the 10.2 ms of the others (limit 50 %; by 10"
    )


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
        ("WorkersDiffer", "too few requests of each worker to compare their percentiles")
    ]
