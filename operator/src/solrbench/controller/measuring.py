"""The load stage: Locust runs the ladder, finished steps are stored and only then acknowledged."""

from datetime import datetime, timedelta
from typing import NoReturn

import httpx
from pydantic import ValidationError

from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.cluster.environment import record_environment
from solrbench.controller.children import LOAD, apply_all, delete_components, job, pods
from solrbench.controller.run import LoadLost, Run
from solrbench.decide.conditions import MEASURED
from solrbench.decide.troubles import find_trouble
from solrbench.decide.views import PodView
from solrbench.errors import Never, NotYet
from solrbench.manifests.load import build_load
from solrbench.plan import names
from solrbench.plan.load_plan import WEB_PORT, LoadPlan, LoadState, PlannedPass
from solrbench.plan.passes import all_passes, remaining_passes, step_of
from solrbench.results.document import StepDocument
from solrbench.results.merge import merge_steps, summarise
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import node_info, replicas
from solrbench.solr.counts import core_indexes

POLL_SECONDS = 5.0
KUBELET_DELAY = timedelta(seconds=10)
PERMANENT_REASONS = {"NoQueries", "MalformedQueries", "StoppedByUser"}
"""Ends of the load that a new attempt would only repeat."""


def measure(run: Run) -> None:
    """Run what is left of the ladder.

    Raises:
        NotYet: while steps are measured.
        Never: if the workload cannot be run.
        LoadLost: if a pod of the load was lost.

    """
    if run.conditions.holds(MEASURED):
        return
    documents = run.reports.documents(run.benchmark)
    _show(run, documents)
    remaining = remaining_passes(run.benchmark.spec, frozenset(documents))
    if not remaining:
        _finish(run, len(documents))
        return
    run.enter("Measuring")
    if not delete_components(run, *LOAD, attempt_below=run.status.attempts.load):
        raise NotYet("RemovingOldLoad", "pods of the attempt before are still there")
    if job(run, names.LOAD_MASTER) is None or job(run, names.LOAD_WORKER) is None:
        plan = _plan(run, [str(each) for each in remaining])
        apply_all(run, build_load(run.benchmark, plan, run.settings.image, plan.attempt))
        raise NotYet("LoadStarted", "the load's Jobs were made")
    _follow(run)


def _finish(run: Run, stored: int) -> None:
    _update_index_size(run)
    if not delete_components(run, *LOAD):
        raise NotYet("StoppingLoad", "every step is stored, the load's pods end")
    run.update(load=None)
    run.conditions.set(MEASURED, "True", "Measured", f"{stored} steps are stored")


def _update_index_size(run: Run) -> None:
    """Read the size again: merges went on after the last document."""
    with SolrClient(run.solr_urls) as solr:
        cores = core_indexes(solr, replicas(solr, names.collection(run.benchmark)))
    size = {"index_bytes": sum(each.bytes for each in cores)}
    run.update(dataset=run.status.dataset.model_copy(update=size))


def _plan(run: Run, remaining: list[str]) -> LoadPlan:
    spec = run.benchmark.spec
    passes = [
        PlannedPass(id=str(each), repeat=each.repeat, step=step_of(spec, each))
        for each in all_passes(spec)
        if str(each) in remaining
    ]
    service = names.child(run.benchmark, names.LOAD_MASTER)
    return LoadPlan(
        benchmark=run.benchmark.key,
        attempt=run.status.attempts.load,
        solr_urls=run.solr_urls,
        collection=names.collection(run.benchmark),
        workload=spec.workload,
        generator=spec.dataset.generator,
        warm_up=spec.warm_up,
        workers=spec.load.workers,
        passes=passes,
        master_host=f"{service}.{run.namespace}.svc",
    )


def _follow(run: Run) -> None:
    """Store what is finished and show what is under way; always raises."""
    seen = pods(run, *LOAD)
    master = next((pod for pod in seen if pod.component == names.LOAD_MASTER), None)
    if master is not None and master.phase == "Running" and master.ip:
        with httpx.Client(
            base_url=f"http://{master.ip}:{WEB_PORT}/solrbench",
            timeout=POLL_SECONDS,
            trust_env=False,
        ) as http:
            _listen(run, http)
    _check_pods(run, seen)
    trouble = find_trouble(seen, run.now)
    if trouble is not None:
        raise NotYet(trouble.reason, trouble.message)
    load = run.status.load
    report = run.status.report
    where = f", {load.step} of repeat {load.repeat}" if load is not None and load.step else ""
    stage = load.stage if load is not None else "Starting"
    raise NotYet(stage, f"{report.stored_steps} of {report.total_steps} steps are stored{where}")


def _listen(run: Run, http: httpx.Client) -> None:
    try:
        state = LoadState.model_validate_json(http.get("/state").raise_for_status().content)
        for pass_id in state.unacknowledged:
            _keep(run, http, pass_id)
    except (httpx.HTTPError, ValidationError):
        return  # starting, busy or just gone: the pods tell which
    run.update(
        load=LiveLoad(
            stage=state.stage,
            repeat=state.repeat,
            step=state.step,
            users=state.users,
            requests=state.requests,
            requests_per_second=round(state.requests_per_second, 1),
        )
    )
    if state.stage in ("WarmingUp", "Ramping", "Measuring"):
        _record_environment(run)
    if state.stage == "Failed":
        _raise_failure(state.reason or "LoadFailed", state.message or "the load master failed")


def _record_environment(run: Run) -> None:
    """Note once what everything runs on, while all of it runs."""
    if not run.status.report.environment:
        with SolrClient(run.solr_urls) as solr:
            jvm = node_info(solr, run.solr_urls[0]).jvm
        benchmark = run.benchmark.model_copy(update={"status": run.status})
        run.reports.store_environment(
            run.benchmark, record_environment(run.cluster, benchmark, jvm)
        )
        environment = {"environment": names.environment(run.benchmark)}
        run.update(report=run.status.report.model_copy(update=environment))


def _keep(run: Run, http: httpx.Client, pass_id: str) -> None:
    answer = http.get(f"/results/{pass_id}").raise_for_status()
    document = StepDocument.model_validate_json(answer.content)
    if _may_have_lost_solr(document, run.now):
        return
    run.reports.store(run.benchmark, document, run.status.attempts.load)
    http.post(f"/results/{pass_id}/ack").raise_for_status()
    _show(run, run.reports.documents(run.benchmark))


def _may_have_lost_solr(document: StepDocument, now: datetime) -> bool:
    """Return whether the failures of a step may come from a Solr node that was just lost.

    The kubelet takes a moment to tell of a pod that ended. Such a step stays with the load master
    until that moment is over; if a node was lost, the target starts again and the step with it.
    """
    failed = any(each.failures for each in document.requests)
    return failed and timedelta() <= now - document.end_time < KUBELET_DELAY


def _check_pods(run: Run, seen: list[PodView]) -> None:
    if len(run.reports.documents(run.benchmark)) == run.status.report.total_steps:
        raise NotYet("StoppingLoad", "every step is stored")
    for pod in seen:
        if pod.phase == "Failed" or pod.reason == "Evicted":
            _raise_pod_failure(run, pod)
    for component in LOAD:
        found = job(run, component)
        if found is not None and (found.failed or found.succeeded):
            raise LoadLost("LoadPodLost", f"a pod of {found.name} was lost: {found.failure}")


def _raise_pod_failure(run: Run, pod: PodView) -> NoReturn:
    trouble = find_trouble([pod], run.now)
    if trouble is not None:
        raise LoadLost(trouble.reason, trouble.message)
    try:
        words = LoadState.model_validate_json(pod.last_words or "{}")
    except ValidationError:
        words = LoadState(stage="Failed", message=pod.last_words[:500])
    _raise_failure(
        words.reason or "LoadPodLost",
        words.message or f"pod {pod.name} ended: {[c.exit_code for c in pod.containers]}",
    )


def _raise_failure(reason: str, message: str) -> NoReturn:
    raise (Never if reason in PERMANENT_REASONS else LoadLost)(reason, message)


def load_again(run: Run, lost: LoadLost) -> None:
    """Begin a new attempt of the load; stored steps stay.

    Raises:
        Never: if there were enough attempts.

    """
    attempts = run.status.attempts
    if attempts.load >= attempts.target + run.benchmark.spec.retries:
        raise Never(
            lost.reason, f"{lost.message}; given up after {attempts.load} attempts (spec.retries)"
        )
    run.update(attempts=attempts.model_copy(update={"load": attempts.load + 1}), load=None)
    run.conditions.set(
        MEASURED, "False", lost.reason, f"{lost.message}; steps not yet stored start again"
    )


def _show(run: Run, documents: dict[str, StepDocument]) -> None:
    """Put the stored results into the status."""
    spec = run.benchmark.spec
    report = run.status.report.model_copy(
        update={
            "stored_steps": len(documents),
            "total_steps": len(all_passes(spec)),
            "selector": names.selector_text(run.benchmark, names.REPORT),
        }
    )
    run.update(report=report)
    if documents:
        ordered = list(documents.values())
        run.update(results=merge_steps(spec, ordered), summary=summarise(spec, ordered))
