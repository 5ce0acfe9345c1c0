"""A load under way: finished steps are stored and acknowledged, losses are noticed."""

from datetime import datetime, timedelta
from typing import NoReturn

from pydantic import ValidationError

from solrbench.api.v1alpha1.load.load import OnWorkerLoss
from solrbench.api.v1alpha1.status.target import LiveLoad
from solrbench.cluster.environment import record_environment
from solrbench.controller.children import LOAD, job, pods
from solrbench.controller.context import LoadLostError, Run
from solrbench.controller.stages import existing_target
from solrbench.decide.pod_events import with_pods
from solrbench.decide.pod_problems import find_trouble
from solrbench.decide.views import PodView
from solrbench.errors import PermanentError, TemporaryError
from solrbench.load.errors import PERMANENT_REASONS
from solrbench.load.master_client import LoadMasterClient
from solrbench.plan import names
from solrbench.plan.load_plan import LoadState
from solrbench.plan.step_runs import all_passes
from solrbench.results.model.step_result import StepDocument
from solrbench.results.summary.arrivals import sending
from solrbench.results.summary.cold_start import summarise_cold_start
from solrbench.results.summary.comparison import compare_variants
from solrbench.results.summary.step_results import merge_steps, summarise
from solrbench.results.validity.verdict import headline, judge_steps
from solrbench.solr.cluster import node_info

KUBELET_DELAY = timedelta(seconds=10)


def follow(run: Run) -> None:
    """Store what is finished and show what is under way.

    Raises:
        TemporaryError: while steps are measured.
        PermanentError: if the workload cannot be run.
        LoadLostError: if a pod of the load was lost.

    """
    seen = pods(run, *LOAD)
    master = next((pod for pod in seen if pod.component == names.LOAD_MASTER), None)
    if master is not None and master.phase == "Running" and master.ip:
        with LoadMasterClient(master.ip) as remote:
            _listen(run, remote)
    needed = [pod for pod in seen if not _is_spared(run, pod)]
    _check_pods(run, needed)
    trouble = find_trouble(needed, run.now)
    if trouble is not None:
        raise TemporaryError(trouble.reason, trouble.message)
    load = run.status.load
    report = run.status.report
    where = f", {_under_way(load)}" if load is not None and load.step else ""
    stage = load.stage if load is not None else "Starting"
    raise TemporaryError(
        stage, f"{report.stored_steps} of {report.total_steps} steps are stored{where}"
    )


def _under_way(load: LiveLoad) -> str:
    through = f" through {load.variant}" if load.variant else ""
    return f"{load.step}{through} of repeat {load.repeat}"


def _listen(run: Run, master: LoadMasterClient) -> None:
    try:
        state = master.state()
        if state.unacknowledged and run.existing is not None:
            existing_target.check(run, now=True)
        for pass_id in state.unacknowledged:
            _keep(run, master, pass_id)
    except TemporaryError as error:
        if error.reason != "LoadMasterUnreachable":
            raise
        return  # starting, busy or just gone: the pods tell which
    _show_live(run, state)
    if state.stage in ("WarmingUp", "Ramping", "Measuring"):
        _record_environment(run)
    if state.stage == "Failed":
        _raise_failure(state.reason or "LoadFailed", state.message or "the load master failed")


def _show_live(run: Run, state: LoadState) -> None:
    run.update(
        load=LiveLoad(
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


def _record_environment(run: Run) -> None:
    """Note once what everything runs on, while all of it runs."""
    if not run.status.report.environment:
        with run.solr() as solr:
            jvm = node_info(solr, run.solr_urls[0]).jvm
        benchmark = run.benchmark.model_copy(update={"status": run.status})
        run.reports.store_environment(
            run.benchmark, record_environment(run.cluster, benchmark, jvm)
        )
        environment = {"environment": names.environment(run.benchmark)}
        run.update(report=run.status.report.model_copy(update=environment))


def _keep(run: Run, master: LoadMasterClient, pass_id: str) -> None:
    document = master.result(pass_id)
    if _may_have_lost_solr(document, run.now):
        return
    known = run.reports.documents(run.benchmark).get(pass_id)
    if known is not None:
        # Stored, but the acknowledgement got lost; what pods told then may be gone by now.
        document = document.model_copy(update={"pods": known.pods})
    seen = pods(run, names.SOLR, names.ZOOKEEPER, *LOAD)
    run.reports.store(run.benchmark, with_pods(document, seen), run.status.attempts.load)
    master.acknowledge(pass_id)
    show(run, run.reports.documents(run.benchmark))


def _may_have_lost_solr(document: StepDocument, now: datetime) -> bool:
    """Return whether the failures of a step may come from a Solr node that was just lost.

    The kubelet takes a moment to tell of a pod that ended. Such a step stays with the load master
    until that moment is over; if a node was lost, the target starts again and the step with it.
    """
    failed = any(each.failures for each in document.requests)
    return failed and timedelta() <= now - document.end_time < KUBELET_DELAY


def _check_pods(run: Run, seen: list[PodView]) -> None:
    if len(run.reports.documents(run.benchmark)) == run.status.report.total_steps:
        raise TemporaryError("StoppingLoad", "every step is stored")
    for pod in seen:
        if pod.phase == "Failed" or pod.reason == "Evicted":
            _raise_pod_failure(run, pod)
    for component in LOAD:
        found = job(run, component)
        if found is not None and (found.failed or found.succeeded):
            raise LoadLostError("LoadPodLost", f"a pod of {found.name} was lost: {found.failure}")


def _is_spared(run: Run, pod: PodView) -> bool:
    """Say whether a pod ended that the load goes on without: its Job makes another one."""
    return (
        run.benchmark.spec.load.on_worker_loss is OnWorkerLoss.REDISTRIBUTE
        and pod.component == names.LOAD_WORKER
        and pod.phase == "Failed"
        and _termination_state(pod).reason not in PERMANENT_REASONS
    )


def _raise_pod_failure(run: Run, pod: PodView) -> NoReturn:
    trouble = find_trouble([pod], run.now)
    if trouble is not None:
        raise LoadLostError(trouble.reason, trouble.message)
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


def show(run: Run, documents: dict[str, StepDocument]) -> None:
    """Put the stored results into the status.

    Histograms are merged only when one was added: the node may be the one that is measured. The
    verdicts cost little, and evidence may come after its pass.
    """
    spec, before = run.benchmark.spec, run.status.report
    report = before.model_copy(
        update={
            "stored_steps": len(documents),
            "total_steps": len(all_passes(spec)),
            "selector": names.selector_text(run.benchmark, names.REPORT),
        }
    )
    run.update(report=report)
    ordered = list(documents.values())
    if len(documents) != before.stored_steps:
        run.update(
            results=merge_steps(spec, ordered),
            comparisons=compare_variants(spec, ordered),
            summary=summarise(spec, ordered),
            sending=sending(spec, ordered),
            cold_start=summarise_cold_start(ordered),
        )
    verdicts = judge_steps(spec, ordered)
    summary = run.status.summary.model_copy(update={"verdict": headline(verdicts)})
    run.update(verdicts=verdicts, summary=summary)
