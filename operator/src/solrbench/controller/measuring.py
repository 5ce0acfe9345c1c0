"""The load stage: Locust runs the ladder, finished steps are stored and only then acknowledged."""

from solrbench.controller.children import LOAD, apply_all, delete_components, job
from solrbench.controller.following import follow, show
from solrbench.controller.run import LoadLost, Run
from solrbench.decide.conditions import MEASURED
from solrbench.errors import Never, NotYet
from solrbench.manifests.load import build_load
from solrbench.plan import names
from solrbench.plan.load_plan import LoadPlan, PlannedPass
from solrbench.plan.passes import all_passes, remaining_passes, step_of
from solrbench.plan.variants import doors
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import replicas
from solrbench.solr.counts import core_indexes


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
    show(run, documents)
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
    follow(run)


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
        PlannedPass(
            id=str(each), repeat=each.repeat, variant=each.variant, step=step_of(spec, each)
        )
        for each in all_passes(spec)
        if str(each) in remaining
    ]
    service = names.child(run.benchmark, names.LOAD_MASTER)
    return LoadPlan(
        benchmark=run.benchmark.key,
        attempt=run.status.attempts.load,
        solr_urls=run.solr_urls,
        variants=doors(run.benchmark, run.solr_urls),
        collection=names.collection(run.benchmark),
        workload=spec.workload,
        generator=spec.dataset.generator,
        warm_up=spec.warm_up,
        workers=spec.load.workers,
        passes=passes,
        master_host=f"{service}.{run.namespace}.svc",
    )


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
