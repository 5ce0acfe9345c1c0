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
    check_measured,
    check_planned,
    may_have_lost_solr,
    plan_resumption,
)
from solrbench.decide.outcome import LoadLostError, first_outcome
from solrbench.decide.pods import PodProblem
from solrbench.decide.views import ContainerView, JobView, PodView
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.reasons.load import LoadReason
from solrbench.reasons.target import PodReason
from support.narrowing import not_none
from support.resources.outcomes import assert_outcome, seen
from support.resources.pod_views import pod_view
from support.results.builders import make_document, make_result

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobView("one-load-worker", succeeded=False, failed=False, failure="", created=NOW)
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
    starting_seconds=600,
)
AGAIN = LoadLostError
REDISTRIBUTING = replace(RUN, on_worker_loss=OnWorkerLoss.REDISTRIBUTE)
MEASURING = LiveLoad(
    stage="Measuring", repeat=2, variant="proxy", step="two-users", requests_per_second=1.0
)

LATELY = MEASURING.model_copy(update={"update_time": NOW + timedelta(seconds=1)})


def ended(pod: PodView = WORKER, text: str = "", **fields: Any) -> PodView:
    container = ContainerView("load", exit_code=3, termination_message=text, **fields)
    return replace(pod, phase="Failed", containers=(container,))


def with_pod(pod: PodView, run: LoadRun = RUN) -> LoadRun:
    return replace(run, pods=(pod,))


def silent(load: LiveLoad | None = None, seconds: float = 0) -> LoadRun:
    """Return a load whose master is ready for so long and does not respond."""
    now = NOW + timedelta(seconds=seconds)
    return replace(RUN, pods=(replace(MASTER, ready_since=NOW),), load=load, silence="x", now=now)


def words(reason: str) -> str:
    return LoadState(stage="Failed", reason=reason, message="line 3").model_dump_json(by_alias=True)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (replace(RUN, left=0, pods=(ended(),)), ("StoppingLoad", TemporaryError)),
        (RUN, ("Starting", TemporaryError)),
        (replace(RUN, load=MEASURING), ("Measuring", TemporaryError)),
        (
            replace(RUN, load=MEASURING.model_copy(update={"stage": "OfALaterVersion"})),
            ("Starting", TemporaryError),
        ),
        (silent(seconds=60), ("LoadMasterUnreachable", TemporaryError)),
        (silent(seconds=59), ("Starting", TemporaryError)),
        (silent(LATELY, seconds=60), ("Measuring", TemporaryError)),
        (with_pod(replace(WORKER, unschedulable="0/1 nodes")), ("Unschedulable", TemporaryError)),
        (with_pod(ended()), ("LoadPodLost", AGAIN)),
        (with_pod(ended(ended_reason="OOMKilled")), ("OOMKilled", AGAIN)),
        (with_pod(replace(WORKER, reason="Evicted")), ("Evicted", AGAIN)),
        (with_pod(ended(text=words("WorkerLost"))), ("WorkerLost", AGAIN)),
        (with_pod(ended(text=words("BadPlan"))), ("BadPlan", PermanentError)),
        (with_pod(ended(text="no state")), ("LoadPodLost", AGAIN)),
        (replace(RUN, jobs=(replace(JOB, failed=True, failure="x"),)), ("LoadPodLost", AGAIN)),
        (replace(RUN, jobs=(replace(JOB, succeeded=True),)), ("LoadPodLost", AGAIN)),
        (with_pod(ended(), REDISTRIBUTING), ("Starting", TemporaryError)),
        (with_pod(ended(MASTER), REDISTRIBUTING), ("LoadPodLost", AGAIN)),
        (
            with_pod(ended(text=words("MalformedLocustfile")), REDISTRIBUTING),
            ("MalformedLocustfile", PermanentError),
        ),
    ],
)
def test_state_of_the_load_decides_reason_and_action(
    run: LoadRun, expected: tuple[str, type[SolrbenchError]]
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
            replace(
                RUN, load=MEASURING.model_copy(update={"step": "capacity-trial-3"}), repeats=""
            ),
            "1 of 4 steps are stored, capacity-trial-3 through proxy",
        ),
        (with_pod(ended()), "pod one-load-worker-0 ended with exit code 3; see its log"),
        (with_pod(ended(text=words("BadPlan"))), "line 3"),
        (with_pod(ended(text="no state")), "no state"),
        (
            replace(RUN, jobs=(replace(JOB, succeeded=True),)),
            "Job one-load-worker ended before every result of its load was stored",
        ),
    ],
)
def test_message_of_a_load_under_way(run: LoadRun, message: str) -> None:
    outcome = not_none(first_outcome(LOAD_RUN_CHECKS, run))
    assert outcome.message == message


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (LoadState(stage="Measuring"), None),
        (LoadState(stage="Failed"), ("LoadFailed", LoadLostError)),
        (LoadState(stage="Failed", reason="WorkerLost"), ("WorkerLost", LoadLostError)),
        (LoadState(stage="Failed", reason="NoQueries"), ("NoQueries", PermanentError)),
    ],
)
def test_state_that_the_master_reports(
    state: LoadState, expected: tuple[str, type[SolrbenchError]] | None
) -> None:
    assert seen(check_master_state(state)) == expected


@pytest.mark.parametrize(
    ("failures", "ago", "kept_back"),
    [
        (1, timedelta(), True),
        (1, KUBELET_DELAY - timedelta(seconds=1), True),
        (1, KUBELET_DELAY, False),
        (1, timedelta(seconds=-0.5), True),
        (1, -KUBELET_DELAY, False),
        (0, timedelta(), False),
    ],
)
def test_step_with_failures_is_kept_back_until_a_loss_would_show(
    failures: int, ago: timedelta, kept_back: bool
) -> None:
    result = make_result([1000] * 3, failures=failures)
    document = make_document("two-users", 1, result, end_time=NOW - ago)
    assert may_have_lost_solr(document, NOW) is kept_back


def test_results_that_are_not_planned_wait_with_a_remedy() -> None:
    assert check_planned(0) is None
    words = "2 step runs", "install the operator's version"
    assert_outcome(check_planned(2), LoadReason.VERSION_MISMATCH, TemporaryError, *words)


SECOND = StepRunId(1, 0, 1, "second")
NEXT = StepRunId(2, 0, 0, "first")


def stored(*offsets: int, **fields: Any) -> StepRunResult:
    """Return the document of the first step of the first repeat."""
    return make_document("first", 1, id="r1-s0-first", list_offsets=list(offsets), **fields)


def test_every_attempt_since_the_last_stored_step_run_may_have_begun_the_next_one() -> None:
    first = Resumption(offsets=[30, 4], lost_steps=1)
    assert plan_resumption(SECOND, [stored(30, 4)], 2, 1) == first
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
    # A step that indexes sends nothing of a list.
    lost = stored(30, lost_workers=["w-1"], batch_size=10)
    assert not plan_resumption(SECOND, [lost], 1, 1).may_repeat


REFUSED = PodProblem(PodReason.FAILED_CREATE, "exceeded quota: compute")


@pytest.mark.parametrize(
    ("seconds", "changes", "error"),
    [
        (600, {}, TemporaryError),
        (601, {}, PermanentError),
        (601, {"load": LiveLoad(stage="WaitingForWorkers")}, PermanentError),
        (601, {"load": MEASURING}, TemporaryError),  # it goes on without the worker
    ],
)
def test_pods_that_cannot_start_have_a_deadline(
    seconds: float, changes: dict[str, Any], error: type[SolrbenchError]
) -> None:
    before = NOW - timedelta(seconds=seconds)
    pending = replace(WORKER, phase="Pending", created=before, unschedulable="0/3 nodes")
    stuck = replace(RUN, pods=(MASTER, pending), **changes)
    job = replace(JOB, created=before)
    refused = replace(RUN, pods=(MASTER,), jobs=(job,), creation=REFUSED, **changes)
    for run, cause in (stuck, "Unschedulable: no node"), (refused, "FailedCreate: exceeded quota"):
        outcome = not_none(first_outcome(LOAD_RUN_CHECKS, run))
        assert outcome.error is error
        if error is PermanentError:
            assert outcome.reason == "DeadlineExceeded"
            limit = "601 s, limit 600 s (spec.deadlines.startingSeconds); last seen: "
            assert limit + cause in outcome.message


def test_who_came_without_the_token_is_shown_without_a_number_that_changes() -> None:
    states = [LoadState(stage="Measuring", refused=n, agents_refused=True) for n in (1, 2)]
    (message,) = {
        not_none(check_measured(replace(RUN, refused=each.refused_by))).message for each in states
    }
    who = "the load master and an agent in a pod refused others, who had not its token"
    assert who in message
    assert "token" not in not_none(check_measured(RUN)).message
