"""A load under way: finished steps are stored and acknowledged, losses are noticed."""

from datetime import datetime, timedelta
from typing import NoReturn

from pydantic import ValidationError

from solrbench.api.v1alpha1.load.load import OnWorkerLoss
from solrbench.api.v1alpha1.status.target import LiveLoad
from solrbench.cluster.environment import record_environment
from solrbench.controller.children import LOAD, job, pods
from solrbench.controller.context import LoadLostError, ReconcileContext
from solrbench.controller.stages import existing_target
from solrbench.decide.pod_events import add_pod_events
from solrbench.decide.pod_problems import first_problem
from solrbench.decide.views import PodView
from solrbench.errors import PermanentError, TemporaryError
from solrbench.load.errors import PERMANENT_REASONS
from solrbench.load.master_client import LoadMasterClient
from solrbench.plan import names
from solrbench.plan.load_plan import LoadState
from solrbench.plan.step_runs import all_step_runs
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.arrivals import open_loop_stats
from solrbench.results.summary.cold_start import summarise_cold_start
from solrbench.results.summary.comparison import compare_variants
from solrbench.results.summary.step_results import merge_steps, summarise
from solrbench.results.validity.verdict import evaluate_steps, overall_verdict
from solrbench.solr.cluster import node_info

KUBELET_DELAY = timedelta(seconds=10)


def poll_master(context: ReconcileContext) -> None:
    """Store what is finished and show what is under way.

    Raises:
        TemporaryError: while steps are measured.
        PermanentError: if the workload cannot be run.
        LoadLostError: if a pod of the load was lost.

    """
    seen = pods(context, *LOAD)
    master = next((pod for pod in seen if pod.component == names.LOAD_MASTER), None)
    if master is not None and master.phase == "Running" and master.ip:
        with LoadMasterClient(master.ip) as remote:
            _poll(context, remote)
    needed = [pod for pod in seen if not _is_replaceable(context, pod)]
    _check_pods(context, needed)
    problem = first_problem(needed, context.now)
    if problem is not None:
        raise TemporaryError(problem.reason, problem.message)
    load = context.status.live_load
    report = context.status.report
    where = f", {_under_way(load)}" if load is not None and load.step else ""
    stage = load.stage if load is not None else "Starting"
    raise TemporaryError(
        stage, f"{report.stored_steps} of {report.total_steps} steps are stored{where}"
    )


def _under_way(load: LiveLoad) -> str:
    through = f" through {load.variant}" if load.variant else ""
    return f"{load.step}{through} of repeat {load.repeat}"


def _poll(context: ReconcileContext, master: LoadMasterClient) -> None:
    try:
        state = master.state()
        if state.unacknowledged and context.existing is not None:
            existing_target.verify_nodes_unchanged(context, now=True)
        for step_run_id in state.unacknowledged:
            _store_result(context, master, step_run_id)
    except TemporaryError as error:
        if error.reason != "LoadMasterUnreachable":
            raise
        return  # starting, busy or just gone: the pods tell which
    _update_live_load(context, state)
    if state.stage in ("WarmingUp", "Ramping", "Measuring"):
        _record_environment(context)
    if state.stage == "Failed":
        _raise_failure(state.reason or "LoadFailed", state.message or "the load master failed")


def _update_live_load(context: ReconcileContext, state: LoadState) -> None:
    context.update(
        live_load=LiveLoad(
            stage=state.stage,
            repeat=state.repeat,
            variant=state.variant,
            step=state.step,
            users=state.users if state.planned_requests_per_second is None else None,
            planned_requests_per_second=state.planned_requests_per_second,
            requests=state.requests,
            requests_per_second=round(state.requests_per_second, 1),
        )
    )


def _record_environment(context: ReconcileContext) -> None:
    """Note once what everything runs on, while all of it runs."""
    if not context.status.report.environment:
        with context.solr() as solr:
            jvm = node_info(solr, context.solr_urls[0]).jvm
        benchmark = context.benchmark.model_copy(update={"status": context.status})
        context.reports.store_environment(
            context.benchmark, record_environment(context.cluster, benchmark, jvm)
        )
        environment = {"environment": names.environment(context.benchmark)}
        context.update(report=context.status.report.model_copy(update=environment))


def _store_result(context: ReconcileContext, master: LoadMasterClient, step_run_id: str) -> None:
    document = master.result(step_run_id)
    if _may_have_lost_solr(document, context.now):
        return
    known = context.reports.documents(context.benchmark).get(step_run_id)
    if known is not None:
        # Stored, but the acknowledgement got lost; what pods told then may be gone by now.
        document = document.model_copy(update={"pods": known.pods})
    seen = pods(context, names.SOLR, names.ZOOKEEPER, *LOAD)
    context.reports.store(
        context.benchmark, add_pod_events(document, seen), context.status.attempts.load
    )
    master.acknowledge(step_run_id)
    update_result_status(context, context.reports.documents(context.benchmark))


def _may_have_lost_solr(document: StepRunResult, now: datetime) -> bool:
    """Return whether the failures of a step may come from a Solr node that was just lost.

    The kubelet takes a moment to tell of a pod that ended. Such a step stays with the load master
    until that moment is over; if a node was lost, the target starts again and the step with it.
    """
    failed = any(each.failures for each in document.requests)
    return failed and timedelta() <= now - document.end_time < KUBELET_DELAY


def _check_pods(context: ReconcileContext, seen: list[PodView]) -> None:
    if len(context.reports.documents(context.benchmark)) == context.status.report.total_steps:
        raise TemporaryError("StoppingLoad", "every step is stored")
    for pod in seen:
        if pod.phase == "Failed" or pod.reason == "Evicted":
            _raise_pod_failure(context, pod)
    for component in LOAD:
        found = job(context, component)
        if found is not None and (found.failed or found.succeeded):
            raise LoadLostError("LoadPodLost", f"a pod of {found.name} was lost: {found.failure}")


def _is_replaceable(context: ReconcileContext, pod: PodView) -> bool:
    """Say whether a pod ended that the load goes on without: its Job makes another one."""
    return (
        context.benchmark.spec.load.on_worker_loss is OnWorkerLoss.REDISTRIBUTE
        and pod.component == names.LOAD_WORKER
        and pod.phase == "Failed"
        and _termination_state(pod).reason not in PERMANENT_REASONS
    )


def _raise_pod_failure(context: ReconcileContext, pod: PodView) -> NoReturn:
    problem = first_problem([pod], context.now)
    if problem is not None:
        raise LoadLostError(problem.reason, problem.message)
    words = _termination_state(pod)
    _raise_failure(
        words.reason or "LoadPodLost",
        words.message or f"pod {pod.name} ended: {[c.exit_code for c in pod.containers]}",
    )


def _termination_state(pod: PodView) -> LoadState:
    try:
        return LoadState.model_validate_json(pod.termination_message or '{"stage": "Failed"}')
    except ValidationError:
        return LoadState(stage="Failed", message=pod.termination_message[:500])


def _raise_failure(reason: str, message: str) -> NoReturn:
    raise (PermanentError if reason in PERMANENT_REASONS else LoadLostError)(reason, message)


def update_result_status(context: ReconcileContext, documents: dict[str, StepRunResult]) -> None:
    """Put the stored results into the status.

    Histograms are merged only when one was added: the node may be the one that is measured. The
    verdicts cost little, and evidence may come after its step run.
    """
    spec, before = context.benchmark.spec, context.status.report
    report = before.model_copy(
        update={
            "stored_steps": len(documents),
            "total_steps": len(all_step_runs(spec)),
            "config_map_selector": names.selector_text(context.benchmark, names.REPORT),
        }
    )
    context.update(report=report)
    ordered = list(documents.values())
    if len(documents) != before.stored_steps:
        context.update(
            results=merge_steps(spec, ordered),
            comparisons=compare_variants(spec, ordered),
            summary=summarise(spec, ordered),
            open_loop=open_loop_stats(spec, ordered),
            cold_start=summarise_cold_start(ordered),
        )
    verdicts = evaluate_steps(spec, ordered)
    summary = context.status.summary.model_copy(update={"verdict": overall_verdict(verdicts)})
    context.update(verdicts=verdicts, summary=summary)
