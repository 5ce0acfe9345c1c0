"""From the evidence of documents to the verdict on a step."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Load, OnWorkerLoss
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.model.measured_target import MeasuredTarget
from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import (
    FailureKind,
    StepRunResult,
    Window,
    WorkerResult,
)
from solrbench.results.model.telemetry import ServerFigures, Telemetry
from solrbench.results.text.verdict_text import completion_note, verdict_lines
from solrbench.results.validity.overall import overall_verdict
from solrbench.results.validity.verdict import evaluate_step, evaluate_steps, samples_needed
from unit.results.builders import START, make_document, make_result, make_spec, make_variants

ENOUGH = [1000] * 200


def load(workers: int = 1, **validity: int) -> Load:
    return Load.model_validate(
        {
            "workers": workers,
            "steps": [{"name": "a", "users": workers, "requests": 10}],
            "validity": validity,
        }
    )


def worker(name: str = "w-0", **fields: Any) -> WorkerResult:
    healthy: dict[str, Any] = {
        "requests": 200,
        "users": 2,
        "cpu_seconds": 1.0,
        "core_cpu_seconds": 0.8,
        "measured_seconds": 10.0,
        "throttled_seconds": 0.0,
        "stolen_seconds": 0.0,
        "pressure_seconds": 0.0,
    }
    return WorkerResult.model_validate({"worker": name} | healthy | fields)


def quiet_machine(busy_percent: float = 50.0, solr_seconds: float | None = 8.0) -> Telemetry:
    """Return a machine of four CPUs in a step of ten seconds, and the Solr node on it."""
    spent = {} if solr_seconds is None else {"cpu_seconds": solr_seconds}
    machine = {"cpu_busy_percent": busy_percent, "cpus": 4.0}
    return Telemetry(
        solr=[ServerFigures(server="solr-0:8983", seconds=10.0, readings=2, figures=spent)],
        machines=[ServerFigures(server="m-0", seconds=10.0, readings=2, figures=machine)],
    )


def healthy(repeat: int = 1, **fields: Any) -> StepRunResult:
    """Return a document that holds all evidence and no reason against it."""
    result = make_result(ENOUGH).model_copy(update={"partial_results": 0, "empty_results": 0})
    document = make_document("a", repeat, result, seconds=10.0)
    target = MeasuredTarget(attempt=1, documents=1000, deleted_documents=0)
    evidence: dict[str, Any] = {
        "workers": [worker()],
        "pods": [],
        "target": target,
        "telemetry": quiet_machine(),
    }
    return document.model_copy(update=evidence | fields)


def answers(**fields: Any) -> StepRunResult:
    document = healthy()
    return document.model_copy(
        update={"requests": [document.requests[0].model_copy(update=fields)]}
    )


def open_loop(planned: int, **fields: Any) -> StepRunResult:
    plan = {"requests_per_second": 20.0, "planned_requests": planned}
    return answers(**fields).model_copy(
        update=plan | {"workers": [worker(lag_p99_microseconds=900, lag_max_microseconds=1500)]}
    )


def messages_by_reason(verdict: StepVerdict) -> dict[str, str]:
    """Return the messages by reason, without the remedy at the end."""
    return {each.reason: each.message.rpartition("; ")[0] for each in verdict.reasons}


def verdict_of(*documents: StepRunResult, **changes: int) -> StepVerdict:
    return evaluate_step("a", "", documents, load(**changes))


def without_placement(spec: Spec) -> Spec:
    """Return `spec` with no limit to where pods run, of which these documents know nothing."""
    validity = spec.load.validity.model_copy(update={"allow_shared_nodes": True})
    return spec.model_copy(update={"load": spec.load.model_copy(update={"validity": validity})})


def test_step_without_findings_is_valid() -> None:
    for document in (healthy(), open_loop(200)):
        verdict = verdict_of(document)
        assert (verdict.verdict, verdict.reasons, verdict.unchecked) == ("Valid", [], [])


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


def test_repeated_queries_make_a_step_invalid() -> None:
    verdict = verdict_of(healthy(queries_may_repeat=True))
    assert verdict.verdict == "Invalid"
    assert (
        "some may have been sent twice (limit 0)" in messages_by_reason(verdict)["QueriesMayRepeat"]
    )


def test_throttled_worker_is_invalid() -> None:
    held = worker(throttled_seconds=2.5, cpu_limit_cores=0.5, cpu_seconds=1.0)
    assert messages_by_reason(verdict_of(healthy(workers=[held]))) == {
        "PodThrottled": (
            "worker w-0 was CPU-throttled for 2.5 s of 10 s at 0.5 cores (25 %, limit 1 %)"
        )
    }
    assert verdict_of(healthy(workers=[worker(throttled_seconds=0.1)])).verdict == "Valid"


def test_pod_events_make_a_step_invalid() -> None:
    problem = PodEvent(kind="OOMKilled", container="solr", time=START + timedelta(seconds=3))
    later = PodEvent(kind="Replaced", time=START + timedelta(seconds=5))
    pods = [
        PodRecord(pod="b-solr-1", component="solr", restarts=0, troubles=[later]),
        PodRecord(pod="b-solr-0", component="solr", restarts=1, troubles=[problem]),
    ]
    assert messages_by_reason(verdict_of(healthy(pods=pods))) == {
        "PodRestarted": (
            "restarts or losses of pods: 2, first container solr of pod b-solr-0, OOMKilled at"
            " 03:04:08 UTC (limit 0)"
        )
    }


@pytest.mark.parametrize(
    ("fields", "reason", "message"),
    [
        (
            {"failures": 101, "failure_kinds": [FailureKind(kind="HTTP503", count=101)]},
            "RequestsFailed",
            "101 of 200 requests of query failed (50.5 %, limit 1 %)",
        ),
        (
            {"failures": 1, "failure_kinds": [FailureKind(kind="PartialResults", count=1)]},
            "PartialResults",
            "1 of 200 requests of query had partial results (0.5 %, limit 0 %)",
        ),
        (
            {"partial_results": 2},
            "PartialResults",
            "2 of 200 requests of query had partial results (1 %, limit 0 %)",
        ),
        (
            {"empty_results": 150},
            "EmptyResults",
            "150 of 200 requests of query had empty results (75 %, limit 50 %)",
        ),
        (
            {"failures": 2, "failure_kinds": [FailureKind(kind="ConnectionsRanOut", count=2)]},
            "ConnectionsRanOut",
            "2 of 200 requests found no free port, file or memory (limit 0)",
        ),
    ],
)
def test_poor_responses_make_a_step_invalid(
    fields: dict[str, Any], reason: str, message: str
) -> None:
    assert messages_by_reason(verdict_of(answers(**fields))) == {reason: message}


def test_an_outage_is_seen_by_its_seconds() -> None:
    good = [Window(second=second, requests=1000, failures=9) for second in range(198)]
    dead = [Window(second=second, requests=2, failures=1) for second in range(198, 201)]
    verdict = verdict_of(answers(requests=198_006, failures=3, windows=good + dead))
    assert messages_by_reason(verdict) == {
        "RequestsFailed": (
            "in 3 of 201 s at least half of the requests failed (1.49 %, limit 1 % of the seconds)"
        )
    }
    windows = good + dead[:2]
    assert verdict_of(answers(requests=198_004, failures=2, windows=windows)).verdict == "Valid"


def test_requests_of_a_transaction_are_not_counted_twice() -> None:
    kinds = [FailureKind(kind="ConnectionsRanOut", count=2)]
    part = answers(failures=2, failure_kinds=kinds)
    whole = part.requests[0].model_copy(update={"is_transaction": True, "request": "loan"})
    document = part.model_copy(update={"requests": [*part.requests, whole]})
    assert messages_by_reason(verdict_of(document)) == {
        "ConnectionsRanOut": "2 of 200 requests found no free port, file or memory (limit 0)"
    }


def test_one_percent_of_requests_may_fail_and_half_be_empty() -> None:
    assert verdict_of(answers(empty_results=100, failures=2)).verdict == "Valid"
    assert messages_by_reason(verdict_of(answers(failures=3))) == {
        "RequestsFailed": "3 of 200 requests of query failed (1.5 %, limit 1 %)"
    }
    assert verdict_of(answers(failures=100), max_failed_percent=50).verdict == "Valid"


def test_dropped_and_late_requests_are_shares_of_the_plan() -> None:
    assert verdict_of(open_loop(1000, dropped_requests=10, late_requests=900)).verdict == "Valid"
    assert messages_by_reason(verdict_of(open_loop(1000, dropped_requests=11))) == {
        "RequestsDropped": "11 of 1000 planned requests were never sent (1.1 %, limit 1 %)"
    }
    late = verdict_of(open_loop(1000, late_requests=51), max_late_percent=5)
    assert messages_by_reason(late) == {
        "RequestsLate": "51 of 1000 planned requests were sent late (5.1 %, limit 5 %)"
    }


def test_a_transaction_that_is_never_sent_is_one_arrival() -> None:
    document = open_loop(1000, dropped_requests=10, late_requests=10)
    inside = document.requests[0].model_copy(update={"request": "visit.first"})
    whole = inside.model_copy(update={"request": "visit", "is_transaction": True})
    both = document.model_copy(update={"requests": [whole, inside]})
    assert verdict_of(both, max_late_percent=1).verdict == "Valid"


@pytest.mark.parametrize(("percentile", "needed"), [(50, 20), (90, 100), (95, 200), (99, 1000)])
def test_too_few_samples_for_the_percentile_are_invalid(percentile: int, needed: int) -> None:
    assert samples_needed(percentile) == needed


def test_samples_are_those_of_all_repeats_of_the_scarcest_request() -> None:
    often, seldom = make_result(ENOUGH), make_result([1000] * 99, name="seldom")
    repeats = [
        healthy(repeat).model_copy(update={"requests": [often, seldom]}) for repeat in (1, 2)
    ]
    assert messages_by_reason(verdict_of(*repeats)) == {
        "TooFewSamples": (
            "198 requests of seldom in all repeats (limit 200: 10 must lie beyond p95)"
        )
    }
    assert verdict_of(*repeats, percentile=90).verdict == "Valid"
    assert (
        "0 requests in all repeats (limit 200"
        in messages_by_reason(verdict_of(healthy(requests=[])))["TooFewSamples"]
    )


def test_worst_repeat_is_described_and_the_others_are_named() -> None:
    repeats = [
        healthy(repeat, workers=[worker(cpu_seconds=seconds)])
        for repeat, seconds in enumerate((9.2, 1.0, 9.8), 1)
    ]
    assert messages_by_reason(verdict_of(*repeats)) == {
        "WorkerSaturated": (
            "repeat 3: worker w-0 used 98 % of a core for 10 s (limit 90 %); also in repeat 1"
        )
    }


def test_steps_and_variants_have_separate_verdicts() -> None:
    spec = without_placement(make_variants(make_spec("a", "b"), "raw", "proxy"))
    documents = [
        healthy().model_copy(update={"step": step, "variant": variant, "id": step + variant})
        for step, variant in (("a", "raw"), ("a", "proxy"), ("b", "raw"))
    ]
    documents[1] = documents[1].model_copy(update={"lost_workers": ["w-1"]})
    verdicts = evaluate_steps(spec, documents)
    assert [(each.step, each.variant, each.verdict) for each in verdicts] == [
        ("a", "raw", "Valid"),
        ("a", "proxy", "Invalid"),
        ("b", "raw", "Valid"),
    ]
    assert overall_verdict(verdicts) == "Invalid"
    assert overall_verdict(verdicts[:1]) == "Valid"
    assert overall_verdict([]) == ""
    assert completion_note(verdicts) == (
        "1 of 3 steps is Invalid: a (proxy): WorkersLost: 1 of 1 workers were lost: w-1 (limit 0);"
        " look at the events of the load pods, and measure again"
    )
    assert completion_note(verdicts[:1]) == ""
    (line,) = verdict_lines(verdicts)
    assert line == (
        "a (proxy) is Invalid: WorkersLost: 1 of 1 workers were lost: w-1 (limit 0); look at the"
        " events of the load pods, and measure again"
    )


def test_step_run_without_duration_saturates_no_worker() -> None:
    idle = worker(cpu_seconds=0.001, core_cpu_seconds=0.0, measured_seconds=0.0)
    verdict = verdict_of(healthy(workers=[idle], requests=[], seconds=0.0))
    assert set(messages_by_reason(verdict)) == {"TooFewSamples"}


def test_documents_of_the_first_version_are_read_and_checked() -> None:
    stored = {
        "schemaVersion": 1,
        "id": "r1-s0-a",
        "repeat": 1,
        "step": "a",
        "users": 2,
        "attempt": 1,
        "startTime": "2026-01-02T03:04:05Z",
        "endTime": "2026-01-02T03:04:15Z",
        "seconds": 10.0,
        "requests": [
            make_result(ENOUGH).model_dump(
                by_alias=True,
                include={"request", "requests", "failures", "service_time_histogram"},
            )
        ],
        "workers": [{"worker": "w-0", "requests": 200, "cpuSeconds": 9.5, "users": 2}],
    }
    verdict = verdict_of(StepRunResult.model_validate(stored))
    assert set(messages_by_reason(verdict)) == {"WorkerSaturated"}
    unchecked = {each.reason for each in verdict.unchecked}
    counts = {"PartialResults", "EmptyResults", "DeletedDocuments"}
    hosts = {"PodThrottled", "PodRestarted", "CpuStolen", "CpuPressure", "OthersUseCpu"}
    assert unchecked == hosts | counts


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
