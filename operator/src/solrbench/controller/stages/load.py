"""The load stage: Locust runs the ladder, finished steps are stored and only then acknowledged."""

from collections.abc import Sequence
from datetime import datetime

from solrbench.analysis.conclusions import collect_answers
from solrbench.api.v1alpha1.benchmark import Spec
from solrbench.api.v1alpha1.result_rules import max_request_names, max_result_bytes
from solrbench.contract import names
from solrbench.contract.endpoints import (
    pod_agents,
    reads_pods,
    variant_endpoints,
    zookeeper_servers,
)
from solrbench.contract.load_plan import (
    LoadPlan,
    PlannedStepRun,
    Resumption,
    VariantEndpoints,
    auth_files,
)
from solrbench.contract.step_runs import (
    StepRunId,
    empties_caches,
    prepares_each_step,
    rate_before,
    warm_up_of,
)
from solrbench.controller.companions import variant_url
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_components, find_removal_blocker
from solrbench.controller.endpoint import check_hosts
from solrbench.controller.failure_evidence import keep_diagnostics
from solrbench.controller.objects import LOAD, apply_job, new_token, read_job, stored_token
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.answers import plan_answers
from solrbench.controller.stages.load_results import (
    is_measured,
    poll_master,
    possible_step_runs,
    remaining,
    step_runs_on_target,
)
from solrbench.controller.stages.results import (
    conclude_objectives,
    search_to_run,
    update_objectives,
    update_result_status,
)
from solrbench.decide.conditions import MEASURED
from solrbench.decide.lifecycle import check_load_attempts
from solrbench.decide.load import plan_resumption
from solrbench.decide.outcome import LoadLostError, apply_outcome
from solrbench.decide.queue import IDLE_REASONS
from solrbench.errors import TemporaryError
from solrbench.kube.reader import Manifest
from solrbench.manifests.load import build_load
from solrbench.reasons.load import LoadReason
from solrbench.solr.cluster import resolve_alias


def reconcile_load(context: ReconcileContext) -> None:
    """Run what is left of the ladder.

    Raises:
        TemporaryError: while steps are measured.
        PermanentError: if the workload cannot be run.
        LoadLostError: if a pod of the load was lost.
    """
    if context.conditions.is_true(MEASURED):
        return
    context.set_phase("Measuring")
    update_result_status(context)
    if is_measured(context):
        if context.unseen_target is not None:
            raise context.unseen_target  # a restart during the last step may not be noted yet
        _finish(context)
        return
    # Two attempts would load the target at once.
    if not delete_components(context.owned, LOAD, context.status.attempts.load):
        raise TemporaryError(
            LoadReason.REMOVING_OLD_LOAD, "pods of the previous attempt are terminating"
        )
    jobs = [read_job(context, each) for each in LOAD]
    if None in jobs:
        image = context.settings.image.reference
        if any(_image_of(each) != image for each in filter(None, jobs)):
            # The operator was upgraded between the two: master and workers are of one release, and
            # no field of a Job's pods may change.
            delete_components(context.owned, LOAD)
            raise TemporaryError(
                LoadReason.REMOVING_OLD_LOAD, "a load that an earlier release began is removed"
            )
        # Also those that are needed only if words are missing: the load goes on by itself.
        plan = _plan(context, possible_step_runs(context))
        manifests = build_load(context.benchmark, plan, context.settings.image)
        apply_job(context, manifests, _missing_since(context))
        raise TemporaryError(LoadReason.LOAD_STARTED, "the load's Jobs were created")
    poll_master(context)


def _image_of(job: Manifest) -> str:
    return str(job["spec"]["template"]["spec"]["containers"][0]["image"])


def _missing_since(context: ReconcileContext) -> datetime | None:
    """Return since when the load has no pods: known of the first attempt in this phase alone."""
    status = context.status
    is_first = status.attempts.load == (status.attempts.first_load_on_target or 1)
    return status.phase_start_time if is_first and status.live_load is None else None


def _finish(context: ReconcileContext) -> None:
    provisioner = provisioner_of(context)
    with context.solr() as solr:
        # Again: merges went on after the last document.
        cores = provisioner.replica_sizes(solr, provisioner.find_replicas(context, solr))
    context.update_part("dataset", index_bytes=sum(each.bytes for each in cores))
    update_objectives(context)
    conclude_objectives(context)
    samples = context.reports.samples(context.benchmark)
    context.update(answers=collect_answers(context.benchmark.spec, context.status, samples))
    if not delete_components(context.owned, LOAD):
        blocker = find_removal_blocker(context.owned)
        # For what may wait for ever, the clean-up gives the place up.
        if blocker is None or blocker.reason not in IDLE_REASONS:
            text = "every step is stored, the load's pods are terminating"
            raise TemporaryError(LoadReason.STOPPING_LOAD, text)
    context.update(live_load=None)
    text = f"{context.status.report.stored_steps} steps are stored"
    context.conditions.set(MEASURED, "True", LoadReason.MEASURED, text)


def _plan(context: ReconcileContext, possible: Sequence[StepRunId]) -> LoadPlan:
    spec, repeats = context.benchmark.spec, context.benchmark.spec.load.repeats
    step_runs = step_runs_on_target(context, possible)
    # Of repeats until it is decided, those that are still possible may not be needed any more.
    is_last = len(step_runs) == len(possible) or not remaining(context)
    service = names.child(context.benchmark, names.LOAD_MASTER)
    return LoadPlan(
        benchmark=context.benchmark.key,
        attempt=context.status.attempts.load,
        solr_urls=context.endpoint.urls,
        access=auth_files(context.existing),
        variants=_variant_endpoints(context),
        collection=names.collection(context.benchmark),
        aliased=_aliased(context),
        workload=spec.workload,
        generator=spec.dataset.indexed_generator if spec.dataset is not None else None,
        dataset=spec.sampled_dataset,
        steps_index=spec.steps_index,
        id_field=spec.dataset.id_field if spec.dataset is not None else "id",
        warm_up=warm_up_of(spec),
        prepares_each_step=prepares_each_step(spec),
        empties_caches=empties_caches(spec),
        workers=spec.load.workers,
        on_worker_loss=spec.load.on_worker_loss,
        percentiles=spec.load.percentiles,
        telemetry=spec.load.telemetry,
        visibility=spec.load.visibility,
        diagnostics=spec.diagnostics,
        zookeeper_servers=zookeeper_servers(context.benchmark),
        agents=pod_agents(context.benchmark),
        step_runs=[_planned(spec, each) for each in step_runs],
        waits_from_repeat=None if repeats.until is None else repeats.least + 1,
        max_request_names=max_request_names(spec),
        max_result_bytes=max_result_bytes(spec),
        resumption=_resumption(context, step_runs),
        answers=plan_answers(context),
        objectives=[each for each in spec.objectives if each.fail_fast],
        stop=spec.load.stop,
        # On the target of the last repeat, when its ladder is measured.
        search=search_to_run(context) if is_last else None,
        master_host=f"{service}.{context.namespace}.svc",
        # One of the Jobs may be there already, with the token of its plan.
        token=stored_token(context, names.LOAD_MASTER) or new_token(),
        agent_token=stored_token(context, names.SOLR) if reads_pods(context.benchmark) else "",
    )


def _aliased(context: ReconcileContext) -> str | None:
    """Return the collection that the user's name is an alias of; None if it is none."""
    if not context.benchmark.spec.target.uses_collection:
        return None
    name = names.collection(context.benchmark)
    with context.solr() as solr:
        found = resolve_alias(solr, name)
    return None if found == name else found


def _planned(spec: Spec, step_run: StepRunId) -> PlannedStepRun:
    return PlannedStepRun(
        id=str(step_run),
        repeat=step_run.repeat,
        variant=step_run.variant,
        step=spec.load.steps[step_run.step_index],
        step_index=step_run.step_index,
        ramp_from_requests_per_second=rate_before(spec, step_run),
    )


def _resumption(context: ReconcileContext, step_runs: Sequence[StepRunId]) -> Resumption:
    """Return where the lists go on; a search for the capacity goes through none only once."""
    if not step_runs:
        return Resumption()
    stored, attempts = context.reports.documents(context.benchmark), context.status.attempts
    return plan_resumption(
        step_runs[0],
        stored.values(),
        attempts.load,
        attempts.first_load_on_target or 1,
        warms_each_step=prepares_each_step(context.benchmark.spec),
    )


def _variant_endpoints(context: ReconcileContext) -> list[VariantEndpoints]:
    """Return where the variants lead; hosts of the user's must be allowed as those of targets."""
    given = [url for each in context.benchmark.spec.target.variants for url in each.urls or ()]
    own = [variant_url(context, url) for url in given]
    if own:
        check_hosts(context.cluster, context.allowed_hosts, own)
    return [
        each.model_copy(update={"urls": [variant_url(context, url) for url in each.urls]})
        for each in variant_endpoints(context.benchmark, context.endpoint.urls)
    ]


def restart_load(context: ReconcileContext, lost: LoadLostError) -> None:
    """Begin a new attempt of the load; stored steps stay."""
    attempts, limit = context.status.attempts, context.benchmark.spec.backoff_limit
    apply_outcome(check_load_attempts(attempts, limit, lost.reason, lost.message))
    # Before the attempt counts up, after which its pods are deleted with their logs.
    where = keep_diagnostics(context, lost.reason, lost.message)
    context.update_part("attempts", load=attempts.load + 1)
    context.update(live_load=None)
    message = f"{lost.message}; steps not yet stored run again{where}"
    context.conditions.set(MEASURED, "False", lost.reason, message)
