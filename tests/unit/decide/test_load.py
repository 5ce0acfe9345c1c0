"""A load under way: what goes on, starts again, ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.load.load import OnWorkerLoss
from solrbench.api.v1alpha1.status.summaries import ReportStatus
from solrbench.api.v1alpha1.status.target import LiveLoad
from solrbench.decide.checks.load import (
    KUBELET_DELAY,
    LOAD_RUN_CHECKS,
    LoadRun,
    check_master_state,
    check_planned,
    may_have_lost_solr,
)
from solrbench.decide.checks.outcome import Action, Outcome, first_outcome
from solrbench.decide.views import ContainerView, JobView, PodView
from solrbench.plan.load_plan import LoadState
from solrbench.reasons.load import LoadReason
from support.resources.pod_views import pod_view
from unit.results.builders import make_document, make_result

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobView("one-load-worker", 1, succeeded=False, failed=False, failure="", deleting=False)
MASTER = pod_view("one-load-master", NOW, uid="m", component="load-master")
WORKER = replace(MASTER, name="one-load-worker-0", uid="w", component="load-worker")
RUN = LoadRun(
    pods=(MASTER, WORKER),
    jobs=(JOB,),
    left=3,
    repeats="5 to 20",
    report=ReportStatus(stored_steps=1, total_steps=4),
    load=None,
    on_worker_loss=OnWorkerLoss.REPEAT_STEP,
    now=NOW,
)
REDISTRIBUTING = replace(RUN, on_worker_loss=OnWorkerLoss.REDISTRIBUTE)
MEASURING = LiveLoad(
    stage="Measuring", repeat=2, variant="proxy", step="two-users", requests_per_second=1.0
)


def ended(pod: PodView = WORKER, text: str = "", **fields: Any) -> PodView:
    container = ContainerView("load", exit_code=3, termination_message=text, **fields)
    return replace(pod, phase="Failed", containers=(container,))


def words(reason: str) -> str:
    return LoadState(stage="Failed", reason=reason, message="line 3").model_dump_json(by_alias=True)


def seen(outcome: Outcome | None) -> tuple[str, Action] | None:
    return None if outcome is None else (outcome.reason.value, outcome.action)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (replace(RUN, left=0, pods=(ended(),)), ("StoppingLoad", Action.WAIT)),
        (RUN, ("Starting", Action.WAIT)),
        (replace(RUN, load=MEASURING), ("Measuring", Action.WAIT)),
        (
            replace(RUN, load=MEASURING.model_copy(update={"stage": "OfALaterVersion"})),
            ("Starting", Action.WAIT),
        ),
        (
            replace(RUN, pods=(replace(WORKER, unschedulable="0/1 nodes"),)),
            ("Unschedulable", Action.WAIT),
        ),
        (replace(RUN, pods=(ended(),)), ("LoadPodLost", Action.RESTART_LOAD)),
        (
            replace(RUN, pods=(ended(ended_reason="OOMKilled"),)),
            ("OOMKilled", Action.RESTART_LOAD),
        ),
        (
            replace(RUN, pods=(replace(WORKER, reason="Evicted"),)),
            ("Evicted", Action.RESTART_LOAD),
        ),
        (
            replace(RUN, pods=(ended(text=words("WorkerLost")),)),
            ("WorkerLost", Action.RESTART_LOAD),
        ),
        (replace(RUN, pods=(ended(text=words("BadPlan")),)), ("BadPlan", Action.FAIL)),
        (replace(RUN, pods=(ended(text="no state"),)), ("LoadPodLost", Action.RESTART_LOAD)),
        (
            replace(RUN, jobs=(replace(JOB, failed=True, failure="BackoffLimitExceeded"),)),
            ("LoadPodLost", Action.RESTART_LOAD),
        ),
        (replace(RUN, jobs=(replace(JOB, succeeded=True),)), ("LoadPodLost", Action.RESTART_LOAD)),
        (replace(REDISTRIBUTING, pods=(ended(),)), ("Starting", Action.WAIT)),
        (
            replace(REDISTRIBUTING, pods=(ended(MASTER),)),
            ("LoadPodLost", Action.RESTART_LOAD),
        ),
        (
            replace(REDISTRIBUTING, pods=(ended(text=words("MalformedLocustfile")),)),
            ("MalformedLocustfile", Action.FAIL),
        ),
    ],
)
def test_state_of_the_load_decides_reason_and_action(
    run: LoadRun, expected: tuple[str, Action]
) -> None:
    assert seen(first_outcome(LOAD_RUN_CHECKS, run)) == expected


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (RUN, "1 of 4 steps are stored"),
        (
            replace(RUN, load=MEASURING),
            "1 of 4 steps are stored, two-users through proxy of repeat 2 of 5 to 20",
        ),
        (
            replace(RUN, pods=(ended(),)),
            "pod one-load-worker-0 ended with exit code 3; see its log",
        ),
        (replace(RUN, pods=(ended(text=words("BadPlan")),)), "line 3"),
        (replace(RUN, pods=(ended(text="no state"),)), "no state"),
    ],
)
def test_message_of_a_load_under_way(run: LoadRun, message: str) -> None:
    outcome = first_outcome(LOAD_RUN_CHECKS, run)
    assert outcome is not None
    assert outcome.message == message


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (LoadState(stage="Measuring"), None),
        (LoadState(stage="Failed"), ("LoadFailed", Action.RESTART_LOAD)),
        (LoadState(stage="Failed", reason="WorkerLost"), ("WorkerLost", Action.RESTART_LOAD)),
        (LoadState(stage="Failed", reason="NoQueries"), ("NoQueries", Action.FAIL)),
    ],
)
def test_state_that_the_master_reports(
    state: LoadState, expected: tuple[str, Action] | None
) -> None:
    assert seen(check_master_state(state)) == expected


@pytest.mark.parametrize(
    ("failures", "ago", "kept_back"),
    [
        (1, timedelta(), True),
        (1, KUBELET_DELAY - timedelta(seconds=1), True),
        (1, KUBELET_DELAY, False),
        (1, timedelta(seconds=-1), False),
        (0, timedelta(), False),
    ],
)
def test_step_with_failures_is_kept_back_until_a_loss_would_show(
    failures: int, ago: timedelta, kept_back: bool
) -> None:
    result = make_result([1000] * 3).model_copy(update={"failures": failures})
    document = make_document("two-users", 1, result).model_copy(update={"end_time": NOW - ago})
    assert may_have_lost_solr(document, NOW) is kept_back


def test_results_that_are_not_planned_wait_with_a_remedy() -> None:
    assert check_planned(0) is None
    outcome = check_planned(2)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (LoadReason.VERSION_MISMATCH, Action.WAIT)
    assert "2 step runs" in outcome.message
    assert "install the operator's version" in outcome.message
