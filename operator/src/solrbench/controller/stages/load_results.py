"""A load under way: finished steps are stored and acknowledged, losses are noticed."""

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from solrbench.contract import names
from solrbench.contract.load_plan import LoadState, trial_ids
from solrbench.contract.step_runs import (
    StepRunId,
    all_step_runs,
    measured_on_target,
    remaining_step_runs,
)
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import address_check
from solrbench.controller.objects import LOAD, creation_problem, job, pods, stored_token
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.results import omitted_step_runs, update_result_status
from solrbench.controller.stages.target import observe_measured_target
from solrbench.decide.load import (
    LOAD_RUN_CHECKS,
    MASTER_PATIENCE,
    LoadRun,
    build_live_load,
    check_master_state,
    check_planned,
    may_have_lost_solr,
    postpone_end,
)
from solrbench.decide.outcome import LoadLostError, apply_outcome, first_outcome
from solrbench.decide.pauses import is_live_load_due
from solrbench.decide.pods import add_pod_events
from solrbench.decide.repeats import format_repeats
from solrbench.decide.views import PodView
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.facts import record_environment
from solrbench.kube.result_documents import read_partial_result, store_partial_result
from solrbench.load.master_client import LoadMasterClient
from solrbench.reasons.kinds import Reason
from solrbench.reasons.load import LoadReason
from solrbench.solr.cluster import node_identity

log = logging.getLogger("solrbench")

MAX_REASON = 500
"""Characters of the failure in the result of a step that broke off."""

MAX_RESULTS_AT_ONCE = 8
"""Results that one reconcile stores: a master that responds slowly must not hold it for hours."""


def poll_master(context: ReconcileContext) -> None:
    """Store what is finished and show what is under way."""
    seen = pods(context, *LOAD)
    master = next((pod for pod in seen if pod.component == names.LOAD_MASTER), None)
    holds_results = False
    refused: tuple[str, ...] = ()
    silence = ""
    if master is not None and master.phase == "Running" and master.ip:
        token = stored_token(context, names.LOAD_MASTER)
        if not token:
            # The pods go on, but cannot be asked for their results any more.
            name = names.child(context.benchmark, names.LOAD_MASTER)
            text = f"ConfigMap {name}, with the plan and token of the load, was deleted or changed"
            raise LoadLostError(LoadReason.LOAD_POD_LOST, text)
        with _client(context.cluster, master.ip, token) as remote:
            holds_results, refused, silence = _poll(context, remote)
        # Until the next reconcile its master alone says whether one is due (docs/adr/0009).
        context.ask_load = partial(_ask, context.cluster, master.ip, token)
    outcome = first_outcome(LOAD_RUN_CHECKS, _observe(context, seen, refused, silence))
    if holds_results:  # they go with the load
        outcome = postpone_end(outcome, context.status.live_load, context.now)
    apply_outcome(outcome)


def _client(cluster: Cluster, host: str, token: str) -> LoadMasterClient:
    return LoadMasterClient(host, token, address_check(cluster, "load master"))


def _ask(cluster: Cluster, host: str, token: str) -> LoadState:
    with _client(cluster, host, token) as master:
        return master.state()


def _observe(
    context: ReconcileContext, seen: list[PodView], refused: tuple[str, ...], silence: str
) -> LoadRun:
    wanted = {names.LOAD_MASTER: 1, names.LOAD_WORKER: context.benchmark.spec.load.workers}
    own = {name: [pod for pod in seen if pod.component == name] for name in wanted}
    creation = (
        creation_problem(context, "Job", names.child(context.benchmark, name), count, own[name])
        for name, count in wanted.items()
    )
    whole, report = remaining(context), context.status.report
    live, load = context.status.live_load, context.benchmark.spec.load
    left = len(step_runs_on_target(context, whole))
    if left == len(whole):  # the last target, on which trials come, too: as many as there may be
        left = max(report.total_steps - report.stored_steps, left)
    return LoadRun(
        pods=seen,
        jobs=[job_view for name in LOAD if (job_view := job(context, name)) is not None],
        left=left,
        report=report,
        load=live,
        repeats=format_repeats(load, None if live is None else live.step),
        on_worker_loss=load.on_worker_loss,
        now=context.now,
        starting_seconds=context.benchmark.spec.deadlines.starting_seconds,
        creation=next((each for each in creation if each is not None), None),
        refused=refused,
        silence=silence,
    )


def step_runs_on_target(
    context: ReconcileContext, step_runs: Iterable[StepRunId]
) -> tuple[StepRunId, ...]:
    """Return those of some step runs that the present target is for."""
    repeat = context.status.attempts.repeat
    return measured_on_target(context.benchmark.spec, step_runs, repeat)


def _poll(context: ReconcileContext, master: LoadMasterClient) -> tuple[bool, tuple[str, ...], str]:
    """Store and show what the master has.

    Returns whether it still holds a result, who has refused peers without the token, and why it did
    not respond, if so.
    """
    stored = 0
    try:
        state = master.state()
        # A result of nodes that were restarted meanwhile would mix two targets. The master keeps it
        # until a reconcile has looked at them.
        if state.unacknowledged and context.unseen_target is None:
            provisioner_of(context).check_before_storing(context)
            # The load ends once its last result is acknowledged, so the record comes first; but a
            # result does not wait for a Solr that does not describe itself.
            with suppress(SolrbenchError):
                _record_environment(context)
            for step_run_id in _planned(context, state.unacknowledged)[:MAX_RESULTS_AT_ONCE]:
                if not _store_result(context, master, step_run_id):
                    break  # those after it may be of what is left of a Solr, too
                stored += 1
    except TemporaryError as error:
        if error.reason != LoadReason.LOAD_MASTER_UNREACHABLE:
            raise
        return True, (), error.message  # starting, busy or just gone: its pod shows which
    _keep_partial_result(context, master, state)
    live_load = build_live_load(state, context.now)
    if is_live_load_due(context.status.live_load, live_load, context.now):
        context.update(live_load=live_load)
    if state.stage in ("WarmingUp", "Ramping", "Measuring"):
        _record_environment(context)
    if stored < len(state.unacknowledged):
        return True, state.refused_by, ""
    apply_outcome(check_master_state(state))
    return False, state.refused_by, ""


def _planned(context: ReconcileContext, ids: Sequence[str]) -> Sequence[str]:
    """Return the ids; a user's locustfile may have made the master name others."""
    spec = context.benchmark.spec
    foreign = set(ids) - {str(step_run) for step_run in all_step_runs(spec)} - trial_ids(spec)
    apply_outcome(check_planned(len(foreign)))
    return ids


def _keep_partial_result(
    context: ReconcileContext, master: LoadMasterClient, state: LoadState
) -> None:
    """Keep what is measured of the step run under way, once a minute and when the load failed.

    Raises:
        TemporaryError: if it cannot be written, or the master responds with another version's.
    """
    before = context.status.live_load
    is_due = (
        state.stage == "Measuring"
        and before is not None
        and before.update_time is not None
        and before.update_time.timestamp() // 60 != context.now.timestamp() // 60
    )
    if is_due or state.stage == "Failed":
        _fetch_partial_result(context, master)


def _fetch_partial_result(context: ReconcileContext, master: LoadMasterClient) -> None:
    document = master.unfinished()
    # A trial that broke off says nothing of the capacity.
    if document is not None and document.trial is None and _planned(context, [document.id]):
        store_partial_result(context.cluster, context.benchmark, document)


def conclude_partial_result(context: ReconcileContext, reason: Reason, message: str) -> None:
    """Store the step run that broke off as a result, since the benchmark ends with it.

    It raises `TemporaryError` if that failed a short time after the master's last response, or the
    begin of the phase without any: the next reconcile tries it again before it reports the failure.
    """
    # As it is stored, since no status is written while this is tried again.
    stored = context.benchmark.status
    load = stored.live_load
    # Without a response it may have failed before anything of it was written.
    responded = stored.phase_start_time if load is None else load.update_time
    is_recent = responded is not None and context.now - responded < MASTER_PATIENCE
    try:
        master = next(iter(pods(context, names.LOAD_MASTER)), None)
        if master is not None and master.phase == "Running" and master.ip:
            token = stored_token(context, names.LOAD_MASTER)
            try:
                with _client(context.cluster, master.ip, token) as remote:
                    _fetch_partial_result(context, remote)
            except TemporaryError:
                if is_recent:
                    raise
            except SolrbenchError:
                pass  # what was kept before is all there will be
        document = read_partial_result(context.cluster, context.benchmark)
        # What an earlier attempt has left did not end by this failure.
        if document is not None and document.attempt != context.status.attempts.load:
            document = None
        known = context.reports.documents(context.benchmark)
        if document is None or document.ended_early is None or document.id in known:
            return
        changes = {"reason": reason, "message": message[:MAX_REASON]}
        ended = document.ended_early.model_copy(update=changes)
        document = document.model_copy(update={"ended_early": ended})
        context.reports.store(context.benchmark, document, context.status.attempts.load)
        update_result_status(context)
    except Exception as error:  # the failure itself must be reported, be it a little later
        if is_recent and not isinstance(error, PermanentError):
            text = f"the step that broke off could not be stored: {error}"
            raise TemporaryError(LoadReason.RESULT_NOT_STORED, text) from error
        log.warning("%s: the step that broke off is lost: %s", context.benchmark.key, error)


def _record_environment(context: ReconcileContext) -> None:
    """Note what everything runs on, once for each attempt while all of it runs."""
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    if not context.reports.has_attempt(benchmark):
        with context.solr() as solr:
            jvm = node_identity(solr, context.endpoint.urls[0]).jvm
        context.reports.store_environment(
            context.benchmark, record_environment(context.cluster, benchmark, jvm)
        )
    note_environment(context)


def note_environment(context: ReconcileContext) -> None:
    """Name the record of what everything runs on, which is there, in the status."""
    context.update_part("report", environment=names.environment(context.benchmark))


def _store_result(context: ReconcileContext, master: LoadMasterClient, step_run_id: str) -> bool:
    """Store and acknowledge a result; return whether that is done, or has to wait."""
    document = master.result(step_run_id)
    if may_have_lost_solr(document, context.now):
        return False
    known = context.reports.documents(context.benchmark).get(step_run_id)
    if known is not None:
        # Stored, but the acknowledgement got lost; pod events of that time may be gone by now.
        document = document.model_copy(update={"pods": known.pods, "target": known.target})
    else:
        target = observe_measured_target(context, document.variant)
        document = document.model_copy(update={"target": target})
    seen = pods(context, *names.SERVERS, *LOAD)
    document = add_pod_events(document, seen)
    context.reports.store(context.benchmark, document, context.status.attempts.load)
    # Only now: the master drops what is acknowledged (docs/adr/0003). `store` has read it back.
    master.acknowledge(step_run_id)
    update_result_status(context)
    return True


def remaining(context: ReconcileContext) -> tuple[StepRunId, ...]:
    """Return the step runs that are still to be measured, as far as what is stored shows.

    Those that are left out are not among them, nor are trials.
    """
    documents = context.reports.documents(context.benchmark)
    report = context.status.report
    if report.stored_steps != len(documents) or not report.repeats:
        update_result_status(context)
    return possible_step_runs(context, context.status.report.repeats)


def possible_step_runs(
    context: ReconcileContext, repeats: int | None = None
) -> tuple[StepRunId, ...]:
    """Return the step runs that are neither stored nor left out, of all repeats or so many."""
    documents = context.reports.documents(context.benchmark)
    # One that broke off is only stored as the benchmark ends, which this reconcile may have to do.
    done = frozenset(key for key, document in documents.items() if not document.broke_off)
    done |= frozenset(omitted_step_runs(context))
    return remaining_step_runs(context.benchmark.spec, done, repeats)


def is_measured(context: ReconcileContext) -> bool:
    """Return whether nothing is left to measure, trials included."""
    if remaining(context):
        return False
    # Only now: `remaining` may have brought the numbers up to date.
    return context.status.report.total_steps <= context.status.report.stored_steps
