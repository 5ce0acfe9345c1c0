"""Every reason for an Invalid step has a planted case, which is accused of that alone.

Messages of verdicts: what happened, the measured value, the limit, the remedy.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from solrbench.analysis import verdict
from solrbench.analysis.check_registry import CHECKS, REASONS
from solrbench.contract.environment import MeasuredTarget, VariantTarget
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.server_document import PodEvent, PodRecord
from solrbench.contract.step_document import (
    CONNECTIONS_RAN_OUT,
    PARTIAL_RESULTS,
    AddedDocuments,
    FailureKind,
    StepRunResult,
    WorkerPercentile,
)
from solrbench.contract.windows import EndedEarly
from support.results.builders import START, make_result
from support.results.validity import generator, placement, repeat_times, repeats, steady, target
from support.results.validity_documents import (
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
    "DocumentsLost": of(healthy(batch_size=10, added=AddedDocuments(documents=9))),
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


def document_with_everything_wrong() -> StepRunResult:
    kinds = [FailureKind(kind=kind, count=200) for kind in (CONNECTIONS_RAN_OUT, PARTIAL_RESULTS)]
    counts = {"failures": 200, "failure_kinds": kinds, "empty_results": 200}
    slow, fast = [
        [WorkerPercentile(percent=95, microseconds=value, beyond=beyond)]
        for value, beyond in ((90_000, 90), (1000, 0))
    ]
    sick = worker(
        "w" * 2000,
        cpu_seconds=10,
        throttled_seconds=9.0,
        stolen_seconds=9.0,
        pressure_seconds=9.0,
        lag_p99_microseconds=90_000,
        percentiles=slow,
    )
    delayed = {
        "response_time_histogram": make_result([90_000]).service_time_histogram,
        "response_time_without_lag_histogram": make_result([1000]).service_time_histogram,
    }
    problem = PodEvent(kind="Replaced", time=START)
    rising = SecondSeries(
        SecondSums(second, 9, 0, 9 * (10_000 + 100 * second + second * 7 % 5 * 100), 0)
        for second in range(80)
    )
    return open_loop(
        200, **counts, **delayed, dropped_requests=200, late_requests=200, windows=rising
    ).model_copy(
        update={
            "workers": [sick, worker(percentiles=fast)],
            "lost_workers": ["w-1"],
            "queries_may_repeat": True,
            "ended_early": EndedEarly(second=40.0, last_good_second=30.0, failures=9),
            "target": MeasuredTarget(
                attempt=1,
                documents=10,
                deleted_documents=10,
                variant=VariantTarget(documents=9),
            ),
            "telemetry": quiet_machine(99.0),
            "pods": [PodRecord(pod="s-0", component="solr", restarts=1, troubles=[problem])],
            "batch_size": 10,
            "added": AddedDocuments(problem="no connection"),
        }
    )


@pytest.mark.parametrize("reason", CHECKS)
def test_messages_state_limit_and_remedy_and_name_no_persons(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All at once would be more reasons than a verdict keeps.
    monkeypatch.setattr(verdict, "CHECKS", {reason: CHECKS[reason]})
    (message,) = [
        each.message
        for each in verdict_of(document_with_everything_wrong(), max_late_percent=1).reasons
        if each.reason == reason
    ]
    remedy = f"{CHECKS[reason].remedy[0].upper()}{CHECKS[reason].remedy[1:]}."
    text = message.removesuffix(f" {remedy}").removesuffix(".")
    assert text != message.removesuffix(".")
    assert re.match("(Raise|Lower|Look|Use|Measure|Give|Stop) ", remedy)
    assert re.search(r"[( ]limit \d.*\)$", text) or text.endswith("…")
    assert not re.search(r"\b(nobody|told|tells?|whoever|bound)\b", message)  # codespell:ignore
    assert len(message) <= 1000


def test_too_few_samples_state_limit_and_remedy() -> None:
    (reason,) = verdict_of(healthy(requests=[make_result([1000] * 9)])).reasons
    assert reason.message == (
        "9 requests of query in all repeats (limit 200: 10 must lie beyond p95)."
        " Raise the step's requests or durationSeconds, or more load.repeats."
    )
