"""The load stage: Locust runs the ladder, finished steps are stored and only then acknowledged."""

from collections.abc import Sequence

from solrbench.controller.children import LOAD, apply_all, delete_components, job
from solrbench.controller.context import LoadLostError, Run
from solrbench.controller.endpoint import check_hosts
from solrbench.controller.replica_sizes import find_replicas, read_cores
from solrbench.controller.stages.load_results import follow, show
from solrbench.decide.allowed_hosts import qualify
from solrbench.decide.conditions import MEASURED
from solrbench.decide.resume import resume
from solrbench.errors import PermanentError, TemporaryError
from solrbench.manifests.load import build_load
from solrbench.plan import names
from solrbench.plan.auth_files import access_files
from solrbench.plan.load_plan import Doors, LoadPlan, PlannedPass, Resumption
from solrbench.plan.step_runs import PassId, rate_before, remaining_passes, step_of
from solrbench.plan.variant_endpoints import doors


def measure(run: Run) -> None:
    """Run what is left of the ladder.

    Raises:
        TemporaryError: while steps are measured.
        PermanentError: if the workload cannot be run.
        LoadLostError: if a pod of the load was lost.

    """
    if run.conditions.holds(MEASURED):
        return
    documents = run.reports.documents(run.benchmark)
    show(run, documents)
    remaining = remaining_passes(run.benchmark.spec, frozenset(documents))
    if not remaining:
        _finish(run, len(documents))
        return
    run.enter("Measuring")
    if not delete_components(run, *LOAD, attempt_below=run.status.attempts.load):
        raise TemporaryError("RemovingOldLoad", "pods of the attempt before are still there")
    if job(run, names.LOAD_MASTER) is None or job(run, names.LOAD_WORKER) is None:
        plan = _plan(run, remaining)
        apply_all(run, build_load(run.benchmark, plan, run.settings.image, plan.attempt))
        raise TemporaryError("LoadStarted", "the load's Jobs were made")
    follow(run)


def _finish(run: Run, stored: int) -> None:
    _update_index_size(run)
    if not delete_components(run, *LOAD):
        raise TemporaryError("StoppingLoad", "every step is stored, the load's pods end")
    run.update(load=None)
    run.conditions.set(MEASURED, "True", "Measured", f"{stored} steps are stored")


def _update_index_size(run: Run) -> None:
    """Read the size again: merges went on after the last document."""
    with run.solr() as solr:
        cores = read_cores(run, solr, find_replicas(run, solr))
    size = {"index_bytes": sum(each.bytes for each in cores)}
    run.update(dataset=run.status.dataset.model_copy(update=size))


def _plan(run: Run, remaining: Sequence[PassId]) -> LoadPlan:
    spec = run.benchmark.spec
    passes = [
        PlannedPass(
            id=str(each),
            repeat=each.repeat,
            variant=each.variant,
            step=step_of(spec, each),
            ramp_from_requests_per_second=rate_before(spec, each),
        )
        for each in remaining
    ]
    service = names.child(run.benchmark, names.LOAD_MASTER)
    return LoadPlan(
        benchmark=run.benchmark.key,
        attempt=run.status.attempts.load,
        solr_urls=run.solr_urls,
        access=access_files(run.existing),
        variants=_doors(run),
        collection=names.collection(run.benchmark),
        workload=spec.workload,
        generator=spec.dataset.generator if spec.dataset is not None else None,
        id_field=spec.dataset.id_field if spec.dataset is not None else "id",
        warm_up=spec.warm_up,
        workers=spec.load.workers,
        on_worker_loss=spec.load.on_worker_loss,
        passes=passes,
        resumption=_resumption(run, remaining[0]),
        master_host=f"{service}.{run.namespace}.svc",
    )


def _resumption(run: Run, first: PassId) -> Resumption:
    stored, attempts = run.reports.documents(run.benchmark), run.status.attempts
    return resume(first, stored.values(), attempts.load, attempts.load_of_target or 1)


def _doors(run: Run) -> list[Doors]:
    """Return where the variants lead; hosts of the user's must be allowed as those of targets.

    Raises:
        TemporaryError: `HostNotFound`.
        PermanentError: `HostNotAllowed`.

    """
    given = [url for each in run.benchmark.spec.target.variants for url in each.urls or ()]
    own = [qualify(url, run.namespace) for url in given]
    if own:
        check_hosts(run.cluster, run.settings.allowed_hosts, own)
    return [
        each.model_copy(update={"urls": [qualify(url, run.namespace) for url in each.urls]})
        for each in doors(run.benchmark, run.solr_urls)
    ]


def load_again(run: Run, lost: LoadLostError) -> None:
    """Begin a new attempt of the load; stored steps stay.

    Raises:
        PermanentError: if there were enough attempts.

    """
    attempts = run.status.attempts
    if attempts.load >= attempts.target + run.benchmark.spec.retries:
        raise PermanentError(
            lost.reason, f"{lost.message}; given up after {attempts.load} attempts (spec.retries)"
        )
    run.update(attempts=attempts.model_copy(update={"load": attempts.load + 1}), load=None)
    run.conditions.set(
        MEASURED, "False", lost.reason, f"{lost.message}; steps not yet stored start again"
    )
