"""Every reason for an Invalid step has a planted case, which is accused of that alone."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import FailureKind
from solrbench.results.model.windows import EndedEarly
from solrbench.results.validity.checks.registry import REASONS
from support.results.validity import (
    generator,
    placement,
    repeat_times,
    repeats,
    steady,
    target,
)
from unit.results.builders import START, make_result
from unit.results.validity.documents import (
    answers,
    healthy,
    messages_by_reason,
    open_loop,
    quiet_machine,
    verdict_of,
    worker,
)

Reasons = Callable[[], set[str]]


def of(*documents: Any, **limits: int) -> Reasons:
    return lambda: set(messages_by_reason(verdict_of(*documents, **limits)))


def failed(kind: str, count: int) -> Reasons:
    return of(answers(failures=count, failure_kinds=[FailureKind(kind=kind, count=count)]))


def restarted() -> Any:
    event = PodEvent(kind="OOMKilled", container="solr", time=START + timedelta(seconds=3))
    return healthy(pods=[PodRecord(pod="b-solr-0", component="solr", restarts=1, troubles=[event])])


PLANTED: dict[str, Reasons] = {
    "WorkerSaturated": of(healthy(workers=[worker(cpu_seconds=9.5)])),
    "WorkersDiffer": of(
        healthy(workers=[generator.seen("w-0", 10, 20), generator.seen("w-1", 24, 110)]), workers=2
    ),
    "DelayedByGenerator": of(
        open_loop(
            200,
            **generator.delayed([3000] * 180 + [143_000] * 20, [3000] * 180 + [4000] * 20),
        )
    ),
    "ScheduleLag": of(
        open_loop(200).model_copy(update={"workers": [worker(lag_p99_microseconds=12_500)]})
    ),
    "WorkersLost": of(healthy(), workers=2),
    "PodThrottled": of(healthy(workers=[worker(throttled_seconds=2.5)])),
    "CpuStolen": of(healthy(workers=[worker(stolen_seconds=0.7)])),
    "CpuPressure": of(healthy(workers=[worker(pressure_seconds=6.0)])),
    "OthersUseCpu": of(healthy(telemetry=quiet_machine(53.5))),
    "EndedEarly": of(
        healthy(ended_early=EndedEarly(second=40.0, last_good_second=30.0, failures=9))
    ),
    "NotSteady": of(steady.step_run(steady.rising(60))),
    "PodRestarted": of(restarted()),
    "ConnectionsRanOut": failed("ConnectionsRanOut", 1),
    "RequestsFailed": failed("HTTP503", 3),
    "PartialResults": of(answers(partial_results=1)),
    "EmptyResults": of(answers(empty_results=101)),
    "RequestsDropped": of(open_loop(1000, dropped_requests=11)),
    "RequestsLate": of(open_loop(1000, late_requests=51), max_late_percent=5),
    "QueriesMayRepeat": of(healthy(queries_may_repeat=True)),
    "DeletedDocuments": of(target.with_target(deleted_documents=11), max_deleted_percent=1),
    "VariantDiffers": of(target.through(999, "9.10.1")),
    "FirstRepeatDiffers": of(
        repeats.repeat(1, 13_000), repeats.repeat(2, 10_000), repeats.repeat(3, 10_000)
    ),
    "RepeatsDrift": of(*(repeats.repeat(n, round(10_000 * 1.07**n)) for n in range(1, 6))),
    "RepeatsDisagree": of(
        *(
            repeats.repeat(n, level)
            for n, level in enumerate((10_000, 10_000, 13_000, 10_000, 10_000), 1)
        )
    ),
    "RepeatTimesDiffer": of(repeat_times.repeat(1, 10_000), repeat_times.repeat(2, 26_000)),
    "EmptyResultsIncreased": of(
        repeats.repeat(1, 10_000, empty_results=2), repeats.repeat(2, 10_000, empty_results=30)
    ),
    "LoadSharesNodes": lambda: set(
        placement.outcome(placement.APART | {"load-worker": ["n2", "n3"]})[0]
    ),
    "SolrSharesNodes": lambda: set(placement.outcome(placement.APART | {"solr": ["n1"]})[0]),
    "TargetChanged": lambda: set(
        target.reasons(target.step_run("a", 1, 0), target.step_run("a", 2, 2, **target.MOVED))["a"]
    ),
    "TooFewSamples": of(healthy(requests=[make_result([1000] * 199)])),
}
"""The reasons given in a case, by the one that it was planted for."""


def test_every_reason_has_a_planted_case() -> None:
    assert set(PLANTED) == set(REASONS)


@pytest.mark.parametrize("reason", PLANTED)
def test_a_planted_case_is_accused_of_its_reason_alone(reason: str) -> None:
    assert PLANTED[reason]() == {reason}
