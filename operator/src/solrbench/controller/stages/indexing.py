"""The data stage: the index Job runs, then Solr counts the documents."""

from pydantic import ValidationError

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.controller.children import apply_all, job, pods
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import leader_urls
from solrbench.controller.replica_sizes import find_replicas, read_replica_sizes
from solrbench.controller.stages.target import verify_target
from solrbench.dataset.pod_client import IndexPodClient
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.index_progress import aggregate_progress
from solrbench.decide.pod_problems import first_problem
from solrbench.decide.views import JobView, PodView
from solrbench.errors import PermanentError, TemporaryError
from solrbench.manifests.index_job import build_index
from solrbench.plan import names
from solrbench.plan.auth_files import auth_files
from solrbench.plan.index_plan import IndexPlan, IndexProgress
from solrbench.reasons.indexing import IndexingReason
from solrbench.reasons.pod import PodReason
from solrbench.reasons.registry import find_reason
from solrbench.solr.collections import check_replicas
from solrbench.solr.replica_counts import commit, documents_by_shard


def reconcile_index(context: ReconcileContext) -> None:
    """Fill the collection and check that Solr holds every document.

    Raises:
        TemporaryError: while documents are sent or replicas catch up.
        PermanentError: if the data cannot be indexed, or documents are missing at the end.
        TargetLostError: if a node was lost while the documents were counted.

    """
    if context.conditions.is_true(DATA_INDEXED):
        return
    context.set_phase("Indexing")
    dataset = context.benchmark.spec.dataset
    if dataset is None:
        _record_existing_size(context)
        return
    found = job(context, names.INDEX)
    if found is None:
        plan = _plan(context, dataset)
        apply_all(
            context, build_index(context.benchmark, plan, context.settings.image, _attempt(context))
        )
        raise TemporaryError(IndexingReason.INDEXING_STARTED, "the index Job was created")
    seen = pods(context, names.INDEX)
    progress = _observe(seen)
    context.update(dataset=aggregate_progress(dataset, progress, context.now.timestamp()))
    if found.failed:
        raise _failure(found, progress, seen)
    if not found.succeeded:
        _wait(context, seen)
    _verify(context, dataset)
    verify_target(context)
    done = context.status.dataset
    context.conditions.set(
        DATA_INDEXED,
        "True",
        IndexingReason.INDEXED,
        f"{done.documents} documents on every replica",
    )


def _attempt(context: ReconcileContext) -> int:
    return context.status.attempts.target


def _record_existing_size(context: ReconcileContext) -> None:
    """Note the size of the user's collection as it is; others may be writing to it."""
    with context.solr() as solr:
        cores = read_replica_sizes(context, solr, find_replicas(context, solr))
    try:
        documents = sum(documents_by_shard(cores).values())
    except TemporaryError:  # a number that the replicas do not agree on is no number
        documents = None
    size = sum(each.bytes for each in cores)
    context.update(dataset=DatasetStatus(documents=documents, index_bytes=size))
    message = "the existing collection is measured as it is, nothing is indexed"
    context.conditions.set(DATA_INDEXED, "True", IndexingReason.EXISTING_COLLECTION, message)


def _plan(context: ReconcileContext, dataset: Dataset) -> IndexPlan:
    spec = context.benchmark.spec
    return IndexPlan(
        benchmark=context.benchmark.key,
        solr_urls=context.solr_urls,
        collection=names.collection(context.benchmark),
        router=spec.collection.router.name,
        shards=spec.collection.shards,
        dataset=dataset,
        access=auth_files(context.existing),
        leader_urls=_leader_urls(context),
    )


def _leader_urls(context: ReconcileContext) -> dict[str, str] | None:
    """Return the nodes that index pods may ask directly; `None` for every one, as those we made."""
    if context.existing is None:
        return None
    with context.solr() as solr:
        found = find_replicas(context, solr)
    return leader_urls(
        context.cluster, context.settings.allowed_hosts, context.namespace, context.endpoint, found
    )


def _observe(seen: list[PodView]) -> list[IndexProgress]:
    """Return what every index pod says: its termination message, or its response while it runs."""
    found = []
    with IndexPodClient() as client:
        for pod in seen:
            text = pod.termination_message or _progress(client, pod)
            try:
                found.append(IndexProgress.model_validate_json(text))
            except ValidationError:
                continue  # not started, or killed without a message
    return found


def _progress(client: IndexPodClient, pod: PodView) -> str:
    return client.progress(pod.ip) if pod.phase == "Running" and pod.ip else ""


def _failure(found: JobView, progress: list[IndexProgress], seen: list[PodView]) -> PermanentError:
    failures = [each for each in progress if each.reason is not None]
    for each in sorted(failures, key=lambda each: each.reason == IndexingReason.INTERRUPTED):
        return PermanentError(
            find_reason(each.reason) or IndexingReason.INDEX_POD_FAILED, each.message or ""
        )
    for pod in seen:
        for container in pod.containers:
            if container.ended_reason not in ("", "Completed"):
                return PermanentError(
                    PodReason.OOM_KILLED
                    if container.ended_reason == "OOMKilled"
                    else IndexingReason.INDEX_POD_FAILED,
                    f"pod {pod.name} ended: {container.ended_reason}, exit code"
                    f" {container.exit_code}; {container.termination_message[:500]}",
                )
    return PermanentError(IndexingReason.INDEX_JOB_FAILED, found.failure)


def _wait(context: ReconcileContext, seen: list[PodView]) -> None:
    at_work = [pod for pod in seen if pod.phase in ("Pending", "Running")]
    problem = first_problem(at_work, context.now)
    if problem is not None:
        raise TemporaryError(problem.reason, problem.message)
    status = context.status.dataset
    total = f" of {status.documents_total}" if status.documents_total else ""
    raise TemporaryError(IndexingReason.INDEXING, f"{status.documents or 0}{total} documents sent")


def _verify(context: ReconcileContext, dataset: Dataset) -> None:
    spec, name = context.benchmark.spec, names.collection(context.benchmark)
    sent = context.status.dataset.documents
    expected = dataset.expected_documents or sent
    if expected is None:
        raise PermanentError(
            IndexingReason.DOCUMENTS_UNKNOWN,
            "no index pod reported how many documents it sent; set spec.dataset.expectedDocuments",
        )
    with context.solr(timeout_seconds=30) as solr:
        commit(solr, name, dataset.indexing.max_segments)
        found = find_replicas(context, solr)
        check_replicas(found, spec.collection, context.nodes)
        cores = read_replica_sizes(context, solr, found)
    counted = documents_by_shard(cores)
    size = sum(each.bytes for each in cores)
    total = sum(counted.values())
    if total != expected:
        raise PermanentError(
            IndexingReason.DOCUMENT_COUNT_MISMATCH,
            f"the index has {total} documents, expected {expected} ({sent} were sent; by shard"
            f" {counted}); if the data repeats ids, set spec.dataset.expectedDocuments",
        )
    context.update(
        dataset=context.status.dataset.model_copy(update={"documents": total, "index_bytes": size})
    )
