"""A load under way: what goes on, starts again, ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract.load_plan import LoadState, Resumption
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import StepRunId
from solrbench.decide.load import (
    KUBELET_DELAY,
    LOAD_RUN_CHECKS,
    LoadRun,
    check_master_state,
    check_planned,
    may_have_lost_solr,
    plan_resumption,
)
from solrbench.decide.outcome import Action, Outcome, first_outcome
from solrbench.decide.views import ContainerView, JobView, PodView
from solrbench.reasons.load import LoadReason
from support.narrowing import not_none
from support.resources.pod_views import pod_view
from support.results.builders import make_document, make_result

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
    outcome = not_none(first_outcome(LOAD_RUN_CHECKS, run))
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
    outcome = not_none(check_planned(2))
    assert (outcome.reason, outcome.action) == (LoadReason.VERSION_MISMATCH, Action.WAIT)
    assert "2 step runs" in outcome.message
    assert "install the operator's version" in outcome.message


SECOND = StepRunId(1, 0, 1, "second")
NEXT = StepRunId(2, 0, 0, "first")


def stored(*offsets: int, attempt: int = 1, **fields: Any) -> StepRunResult:
    """Return the document of the first step of the first repeat."""
    document = make_document("first", 1, attempt=attempt)
    return document.model_copy(update={"list_offsets": list(offsets)} | fields)


def test_the_first_attempt_begins_with_the_lists() -> None:
    assert plan_resumption(StepRunId(1, 0, 0, "first"), [], 1, 1) == Resumption()


def test_every_attempt_since_the_last_stored_step_run_may_have_begun_the_next_one() -> None:
    assert plan_resumption(SECOND, [stored(30, 4)], 2, 1) == Resumption(
        offsets=[30, 4], lost_steps=1
    )
    # The third one has warmed up before it, too.
    again = plan_resumption(SECOND, [stored(30, 4)], 3, 1)
    assert again == Resumption(offsets=[30, 4], lost_steps=2, lost_warm_ups=1)


def test_without_any_stored_step_run_every_attempt_has_warmed_up() -> None:
    lost = plan_resumption(StepRunId(1, 0, 0, "first"), [], 3, 1)
    assert lost == Resumption(lost_steps=2, lost_warm_ups=2)


def test_the_next_ladder_begins_with_its_own_lists() -> None:
    lost = plan_resumption(NEXT, [stored(30, attempt=2, queries_may_repeat=True)], 3, 1)
    assert lost == Resumption(lost_steps=1, lost_warm_ups=1)


def test_variants_have_lists_of_their_own() -> None:
    proxied = StepRunId(1, 1, 0, "first", "proxy")
    assert plan_resumption(proxied, [stored(30)], 1, 1) == Resumption()
    own = stored(12, variant="proxy")
    assert plan_resumption(proxied, [stored(30), own], 1, 1) == Resumption(offsets=[12])


def test_offsets_are_those_of_the_last_step_run() -> None:
    later = stored(55, 4, attempt=2)
    assert plan_resumption(SECOND, [later, stored(30)], 2, 1) == Resumption(offsets=[55, 4])


def test_what_was_sent_to_another_target_is_not_skipped() -> None:
    assert plan_resumption(SECOND, [stored(30)], 2, 2) == Resumption(offsets=[30])
    lost = plan_resumption(SECOND, [stored(30)], 3, 2)
    assert lost == Resumption(offsets=[30], lost_steps=1, lost_warm_ups=1)


def test_possible_repeats_stay_for_all_later_steps() -> None:
    for doubtful in (
        stored(30, queries_may_repeat=True),
        stored(30, lost_workers=["w-1"]),
        stored(),  # of a version that did not record it
    ):
        assert plan_resumption(SECOND, [doubtful], 1, 1).may_repeat
