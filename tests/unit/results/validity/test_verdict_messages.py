"""Messages of verdicts: what happened, the measured value, the limit, the remedy."""

import re

import pytest

from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT, PARTIAL_RESULTS
from solrbench.results.model.measured_target import MeasuredTarget, VariantTarget
from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import (
    FailureKind,
    StepRunResult,
    Window,
    WorkerPercentile,
)
from solrbench.results.model.windows import EndedEarly
from solrbench.results.validity import step_verdicts
from solrbench.results.validity.checks.registry import CHECKS
from unit.results.builders import START, make_result
from unit.results.validity.documents import (
    healthy,
    open_loop,
    quiet_machine,
    verdict_of,
    worker,
)


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
    rising = [
        Window(
            second=second,
            requests=9,
            failures=0,
            mean_microseconds=10_000 + 100 * second + second * 7 % 5 * 100,
        )
        for second in range(80)
    ]
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
        }
    )


@pytest.mark.parametrize("reason", CHECKS)
def test_messages_state_limit_and_remedy_and_name_no_persons(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All at once would be more reasons than a verdict keeps.
    monkeypatch.setattr(step_verdicts, "CHECKS", {reason: CHECKS[reason]})
    (message,) = [
        each.message
        for each in verdict_of(document_with_everything_wrong(), max_late_percent=1).reasons
        if each.reason == reason
    ]
    text, _, remedy = message.rpartition("; ")
    assert remedy == CHECKS[reason].remedy
    assert re.match("(raise|lower|look|use|measure|give|stop) ", remedy)
    assert re.search(r"[( ]limit \d.*\)$", text) or text.endswith("…")
    assert not re.search(r"\b(nobody|told|tells?|whoever|bound)\b", message)  # codespell:ignore
    assert len(message) <= 1000


def test_too_few_samples_state_limit_and_remedy() -> None:
    (reason,) = verdict_of(healthy(requests=[make_result([1000] * 9)])).reasons
    assert reason.message == (
        "9 requests of query in all repeats (limit 200: 10 must lie beyond p95);"
        " raise the step's requests or durationSeconds, or more load.repeats"
    )
