"""Whether a load goes on, starts again or fails; its live status; where a new attempt begins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest

from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.load_plan import OTHER_VERSION_REMEDY, LoadState, Resumption
from solrbench.contract.names import LOAD_MASTER, LOAD_WORKER
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import StepRunId
from solrbench.decide.lifecycle import check_starting
from solrbench.decide.outcome import Check, Outcome, fail, restart_load, wait
from solrbench.decide.pods import ObservedPods, first_problem, shorten
from solrbench.decide.views import JobView, PodView
from solrbench.reasons.kinds import Reason
from solrbench.reasons.load import LoadReason
from solrbench.reasons.registry import PERMANENT_REASONS, find_reason
from solrbench.stats.number_format import round_significant

KUBELET_DELAY = timedelta(seconds=10)
"""Within this long the API server shows that a container ended."""

MASTER_PATIENCE = timedelta(seconds=60)
"""How long the end of a load waits for a master that does not respond; live figures, which say when
it did, are up to 15 s older."""

_WAITING_FOR_WORKERS = "WaitingForWorkers"
"""The first stage of a load master (`load.master.step_run`)."""


@dataclass(frozen=True)
class LoadRun(ObservedPods):
    """A load under way."""

    jobs: Sequence[JobView]
    left: int
    """Number of its step runs that are not stored."""
    report: ReportStatus
    repeats: str
    """How many of the present step there are to be, in words; empty of a trial."""
    load: LiveLoad | None
    on_worker_loss: OnWorkerLoss
    starting_seconds: int
    """Limit of the time until the pods run."""
    refused: tuple[str, ...] = ()
    """Who had requests or messages without the token, in words."""
    silence: str = ""
    """Why the master, which runs, did not respond; empty if it did."""


def check_planned(foreign: int) -> Outcome | None:
    """Wait if the master has results of step runs that are not planned: of another version."""
    if not foreign:
        return None
    return wait(
        LoadReason.VERSION_MISMATCH,
        f"the load master has results of {foreign} step runs that are not planned;"
        f" {OTHER_VERSION_REMEDY}",
    )


def check_all_stored(run: LoadRun) -> Outcome | None:
    """Wait for the next reconcile, which ends the load, when every result of it is stored."""
    return None if run.left else wait(LoadReason.STOPPING_LOAD, "every step is stored")


def check_pods_failed(run: LoadRun) -> Outcome | None:
    """Restart the load, or fail with a permanent reason, after a pod ended that is needed."""
    for pod in _needed(run):
        if pod.phase == "Failed" or pod.reason == "Evicted":
            return _pod_failure(pod, run.now)
    return None


def check_jobs_ended(run: LoadRun) -> Outcome | None:
    """Restart the load when a Job has ended before all results are stored."""
    for job in run.jobs:
        if job.failed or job.succeeded:
            message = f"a pod of Job {job.name} was lost: {job.failure}"
            if not job.failure:
                message = f"Job {job.name} ended before every result of its load was stored"
            return restart_load(LoadReason.LOAD_POD_LOST, message)
    return None


def check_pods_work(run: LoadRun) -> Outcome | None:
    """Wait with the problem of a pod."""
    problem = first_problem(_needed(run), run.now)
    if problem is None and run.creation is not None:
        since = min((job.created for job in run.jobs), default=None)
        problem = replace(run.creation, since=since)
    if run.load is not None and run.load.stage != _WAITING_FOR_WORKERS:
        return problem  # a load that has begun may go on without a worker that is made again
    return check_starting(problem, run.now, run.starting_seconds)


def check_master_responds(run: LoadRun) -> Outcome | None:
    """Wait with the reason if the master, which runs, has not responded for long."""
    responded = None if run.load is None else run.load.update_time
    ready = (pod.ready_since for pod in run.pods if pod.component == LOAD_MASTER)
    since = responded or next(ready, None)
    if not run.silence or since is None or run.now - since < MASTER_PATIENCE:
        return None
    message = f"the load master does not respond to the operator: {run.silence}"
    return wait(LoadReason.LOAD_MASTER_UNREACHABLE, message)


def check_measured(run: LoadRun) -> Outcome | None:
    """Wait with the stage that the master reports."""
    load, report = run.load, run.report
    stage = None if load is None else load.stage
    message = f"{report.stored_steps} of {report.total_steps} steps are stored"
    if load is not None and load.step:
        through = f" through {load.variant}" if load.variant else ""
        repeat = f" of repeat {load.repeat} of {run.repeats}" if run.repeats else ""
        message += f", {load.step}{through}{repeat}"
    if run.refused:
        # Without their number: each change of it would be written to the status.
        who = " and ".join(run.refused)
        message += f"; {who} refused others, who had not its token: see its log"
    return wait(find_reason(stage) or LoadReason.STARTING, message)


LOAD_RUN_CHECKS: tuple[Check[LoadRun], ...] = (
    check_all_stored,
    check_pods_failed,
    check_jobs_ended,
    check_pods_work,
    check_master_responds,
    check_measured,
)


def check_master_state(state: LoadState) -> Outcome | None:
    """Restart the load or fail when the master says that it failed."""
    if state.stage != "Failed":
        return None
    return failure(
        find_reason(state.reason) or LoadReason.LOAD_FAILED,
        state.message or "the load master failed without a message; see its log",
    )


def postpone_end(outcome: Outcome | None, load: LiveLoad | None, now: datetime) -> Outcome | None:
    """Wait instead of ending a load whose master may still hold results.

    `load` has the time of its last response. One that has been silent for `MASTER_PATIENCE` since
    then is given up, as its pod may never respond again.
    """
    responded = None if load is None else load.update_time
    if outcome is None or responded is None or now - responded >= MASTER_PATIENCE:
        return outcome
    return outcome.waiting()


def failure(reason: Reason, message: str) -> Outcome:
    """Return a new attempt, or the end where another attempt cannot succeed."""
    return (fail if reason in PERMANENT_REASONS else restart_load)(reason, message)


def may_have_lost_solr(result: StepRunResult, now: datetime) -> bool:
    """Return whether the failures of a step may come from a Solr node that was just lost.

    The kubelet reports a pod that ended with a delay. Such a step stays with the load master until
    that delay is over; if a node was lost, the target starts again and the step with it.
    """
    failed = any(request.failures for request in result.requests)
    # `now` is of whole seconds, so that a step that has just ended may have ended after it.
    return failed and abs(now - result.end_time) < KUBELET_DELAY


def _needed(run: LoadRun) -> list[PodView]:
    """Return the pods without those that may end: the Job of the workers creates others."""
    redistributes = run.on_worker_loss is OnWorkerLoss.REDISTRIBUTE
    return [
        pod
        for pod in run.pods
        # A reason that another worker would meet as well ends the load in any case.
        if not (redistributes and pod.component == LOAD_WORKER and pod.phase == "Failed")
        or find_reason(_last_state(pod).reason) in PERMANENT_REASONS
    ]


def _pod_failure(pod: PodView, now: datetime) -> Outcome:
    problem = first_problem([pod], now)
    if problem is not None:
        return restart_load(problem.reason, problem.message)
    state = _last_state(pod)
    codes = [str(each.exit_code) for each in pod.containers if each.exit_code is not None]
    text = f"pod {pod.name} ended with exit code {', '.join(codes) or 'unknown'}; see its log"
    return failure(find_reason(state.reason) or LoadReason.LOAD_POD_LOST, state.message or text)


def _last_state(pod: PodView) -> LoadState:
    """Return the termination message of a pod, which may be of something else."""
    try:
        return read(LoadState, (pod.termination_message or '{"stage": "Failed"}').encode())
    except ForeignDataError:
        return LoadState(stage="Failed", message=shorten(pod.termination_message))


def build_live_load(state: LoadState, now: datetime) -> LiveLoad:
    """Return the live figures as of `now`, rounded to what they are known to."""
    is_planned = state.planned_requests_per_second is not None
    failed_percent = None
    if state.recent_requests and state.recent_failures is not None:
        failed_percent = round_significant(100 * state.recent_failures / state.recent_requests)
    return LiveLoad(
        stage=state.stage,
        repeat=state.repeat,
        variant=state.variant,
        step=state.step,
        # Planned arrivals do not depend on the number of users.
        users=None if is_planned else state.users,
        planned_requests_per_second=state.planned_requests_per_second,
        requests=state.requests,
        requests_per_second=round(state.requests_per_second, 1),
        p50_milliseconds=round_significant(state.p50_milliseconds),
        p95_milliseconds=round_significant(state.p95_milliseconds),
        p99_milliseconds=round_significant(state.p99_milliseconds),
        recent_failures=state.recent_failures,
        recent_failed_percent=failed_percent,
        update_time=now,
    )


def plan_resumption(
    first: StepRunId,
    documents: Iterable[StepRunResult],
    attempt: int,
    first_attempt_on_target: int,
    *,
    warms_each_step: bool = False,
) -> Resumption:
    """Return what is known of the ladder that an attempt begins in the middle.

    Step runs are stored in their order, and with lists that are gone through once the load begins
    none before the one ahead of it is stored. So every attempt since the last stored step run may
    have begun the `first` one that is left, and no other.

    Attempts before `first_attempt_on_target` queried another Solr.
    """
    stored = list(documents)
    last = max((document.attempt for document in stored), default=1)
    begun = max(last, first_attempt_on_target)
    lost = max(0, attempt - begun)
    ladder = first.repeat, first.variant
    own = [document for document in stored if (document.repeat, document.variant) == ladder]
    # The warm-up of an attempt that stored a step run of this ladder is in the offsets of that step
    # run.
    warmed_up = (
        not warms_each_step and lost > 0 and any(document.attempt == begun for document in own)
    )
    columns = zip_longest(*(document.list_offsets for document in own), fillvalue=0)
    return Resumption(
        offsets=[max(column) for column in columns],
        lost_steps=lost,
        lost_warm_ups=lost - warmed_up,
        may_repeat=any(
            each.queries_may_repeat
            or not each.list_offsets
            # Updates of a step that indexes are of no list.
            or (each.lost_workers and each.batch_size is None)
            for each in own
        ),
    )
