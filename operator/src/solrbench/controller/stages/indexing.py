"""The data stage: the index Job runs, or Solr restores a backup, then Solr counts the documents."""

import time
from collections.abc import Sequence
from typing import Any

from solrbench.analysis.bottleneck import conclude_indexing
from solrbench.api.v1alpha1.dataset import Backup, Dataset
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract import names
from solrbench.contract.endpoints import pod_agents, reads_pods
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.load_plan import auth_files
from solrbench.contract.pod_plans import BACKUP_FOLDER, IndexPlan, IndexProgress, unpack_telemetry
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_budgets, find_removal_blocker
from solrbench.controller.endpoint import address_check, api_server_addresses
from solrbench.controller.objects import apply_job, creation_problem, job, pods, stored_token
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.target import verify_target
from solrbench.decide.collection import REPLICA_CHECKS, CollectionReplicas
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.indexing import (
    INDEX_RUN_CHECKS,
    IndexRun,
    aggregate_progress,
    all_reported,
    check_documents,
    check_expected_known,
    check_restored,
    count_deleted,
    keep_known_progress,
    known_documents,
    total_documents,
)
from solrbench.decide.outcome import TargetLostError, apply_outcome, first_outcome
from solrbench.decide.views import JobView, PodView, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.index.progress import read_progress
from solrbench.manifests.index import build_index
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.target import PodReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import COMMIT_TIMEOUT_SECONDS, commit
from solrbench.solr.collection import restore_backup


def reconcile_index(context: ReconcileContext) -> None:
    """Fill the collection and check that Solr holds every document.

    Raises:
        TemporaryError: while documents are sent, a backup is restored, or replicas catch up.
        PermanentError: if the data cannot be indexed, or documents are missing at the end.
        TargetLostError: if a node was lost that indexed, or while the documents were counted.
    """
    if context.conditions.is_true(DATA_INDEXED):
        return
    context.set_phase("Indexing")
    dataset = context.benchmark.spec.dataset
    if dataset is None:
        _record_existing_size(context)
        return
    if dataset.backup is not None:
        _restore(context, dataset, dataset.backup)
        return
    job_view = job(context, names.INDEX)
    if job_view is None:
        plan = _plan(context, dataset)
        image, attempt = context.settings.image, context.status.attempts.index
        manifests = build_index(context.benchmark, plan, image, attempt)
        # A Job that was deleted is missing for a time that is not known.
        begun = None if context.status.dataset.documents else context.status.phase_start_time
        apply_job(context, manifests, begun)
        context.update(dataset=DatasetStatus())  # an earlier attempt sent to another index
        raise TemporaryError(IndexingReason.INDEXING_STARTED, "the index Job was created")
    run = _observe(context, job_view, dataset)
    context.update(dataset=run.dataset)
    if any(pod.deleting and pod.phase in ("Pending", "Running") for pod in run.pods):
        # The Job makes another one only when that one has failed, which its node would have to say.
        lost = find_removal_blocker(context.owned)
        if lost is not None and lost.reason == PodReason.NODE_LOST:
            raise TargetLostError(lost.reason, lost.message)
    apply_outcome(first_outcome(INDEX_RUN_CHECKS, run))
    _conclude(context, dataset, run.progress)
    _verify(context, dataset, complete=all_reported(dataset, run.progress))
    # A node that was lost while the documents were counted has lost them.
    verify_target(context)
    delete_budgets(context.owned, (names.INDEX,))  # its pods have ended and stay for their logs
    done = context.status.dataset
    context.conditions.set(
        DATA_INDEXED, "True", IndexingReason.INDEXED, f"{done.documents} documents on every replica"
    )


def _record_existing_size(context: ReconcileContext) -> None:
    """Note the size of the user's collection as it is; others may be writing to it."""
    provisioner = provisioner_of(context)
    with context.solr() as solr:
        sizes = provisioner.replica_sizes(solr, provisioner.find_replicas(context, solr))
    context.update(dataset=DatasetStatus())
    _record_sizes(context, sizes)
    message = "the existing collection is measured as it is, nothing is indexed"
    context.conditions.set(DATA_INDEXED, "True", IndexingReason.EXISTING_COLLECTION, message)


def _restore(context: ReconcileContext, dataset: Dataset, backup: Backup) -> None:
    """Let Solr restore the backup into the collection, and check what the replicas hold then."""
    benchmark, status = context.benchmark, context.status
    request = names.restore_request(benchmark, status.start_time, status.attempts.index)
    folder = "" if backup.claim_name is None else f"{BACKUP_FOLDER}/"
    location = folder + (backup.location or "")
    with context.solr(timeout_seconds=30) as solr:
        try:
            done = restore_backup(solr, names.collection(benchmark), backup, location, request)
        except PermanentError:
            # The loss of a node fails the request, too, and may be more recent than the last look.
            verify_target(context)
            provisioner_of(context).check_before_storing(context)
            raise
        if not done:
            context.update(dataset=DatasetStatus())  # what was before, was another index
            message = f"Solr copies the backup {backup.name} into every replica"
            raise TemporaryError(IndexingReason.RESTORING, message)
        seconds = status.dataset.seconds
        if seconds is None:  # it is kept while replicas are waited for
            seconds = (context.now - (status.phase_start_time or context.now)).total_seconds()
            context.update(dataset=DatasetStatus(seconds=seconds))
        sizes = _replica_sizes(context, solr)
    apply_outcome(check_restored(sizes, dataset.expected_documents))
    _record_sizes(context, sizes)
    verify_target(context)
    message = f"restored {context.status.dataset.documents} documents in {seconds:.0f} s"
    context.conditions.set(DATA_INDEXED, "True", IndexingReason.RESTORED, message)


def _replica_sizes(context: ReconcileContext, solr: SolrClient) -> Sequence[ReplicaSize]:
    """Return the index of each replica, when all are active and where they must be."""
    provisioner, wanted = provisioner_of(context), context.benchmark.spec.collection
    replicas = provisioner.find_replicas(context, solr)
    placed = CollectionReplicas(wanted, replicas, provisioner.node_count(context))
    apply_outcome(first_outcome(REPLICA_CHECKS, placed))
    return provisioner.replica_sizes(solr, replicas)


def _record_sizes(context: ReconcileContext, sizes: Sequence[ReplicaSize]) -> None:
    context.update_part(
        "dataset",
        documents=total_documents(sizes),
        deleted_documents=count_deleted(sizes),
        index_bytes=sum(size.bytes for size in sizes),
    )


def _plan(context: ReconcileContext, dataset: Dataset) -> IndexPlan:
    spec = context.benchmark.spec
    rules: dict[str, Any] = {}
    if dataset.http is not None:
        rules = {
            "download_hosts": list(context.dataset_hosts),
            "api_server": api_server_addresses(context.cluster),
            # All downloads of a pod together may take as long as the stage.
            "max_seconds": spec.deadlines.indexing_seconds,
        }
    return IndexPlan(
        benchmark=context.benchmark.key,
        solr_urls=context.endpoint.urls,
        collection=names.collection(context.benchmark),
        dataset=dataset,
        access=auth_files(context.existing),
        leader_urls=provisioner_of(context).leader_urls(context),
        telemetry=spec.load.telemetry,
        agents=[each for each in pod_agents(context.benchmark) if each.component == names.SOLR],
        agent_token=stored_token(context, names.SOLR) if reads_pods(context.benchmark) else "",
        **rules,
    )


_NOTED = ("commit_seconds", "commit_time", "solr", "series", "bottleneck", "verdict", "reasons")
"""Fields of the status that are concluded once, after the Job has ended."""


def _observe(context: ReconcileContext, found: JobView, dataset: Dataset) -> IndexRun:
    seen = pods(context, names.INDEX)
    by_pod = _read_progress(context, seen)
    progress = [each for each, _ in by_pod]
    # Of a pod that was made again, the node of the one that did more comes last.
    nodes = {each.pod: node for each, node in sorted(by_pod, key=lambda pair: pair[0].documents)}
    total = keep_known_progress(
        context.status.dataset,
        aggregate_progress(dataset, progress, context.now.timestamp(), nodes),
    )
    # What earlier reconciles noted: pods do not report it, or may be gone by now.
    noted = {name: getattr(context.status.dataset, name) for name in _NOTED}
    total = total.model_copy(update=noted)
    creation = creation_problem(context, "Job", found.name, dataset.indexing.pods, seen)
    limit = context.benchmark.spec.deadlines.starting_seconds
    return IndexRun(seen, context.now, found, progress, total, limit, creation=creation)


def _read_progress(
    context: ReconcileContext, seen: list[PodView]
) -> list[tuple[IndexProgress, str]]:
    """Return what every index pod says, and its node.

    It is the termination message of the pod, or its response while it runs.
    """
    progress, check = [], address_check(context.cluster, "index pod")
    for pod in seen:
        responds = pod.phase == "Running" and pod.ip
        text = pod.termination_message or (read_progress(pod.ip, check) if responds else "")
        try:
            progress.append((read(IndexProgress, text.encode()), pod.node))
        except ForeignDataError:
            continue  # not started, or killed without a message
    return progress


def _conclude(
    context: ReconcileContext, dataset: Dataset, progress: Sequence[IndexProgress]
) -> None:
    """Note what Solr did meanwhile, as the first pod read it, and what held indexing back.

    It is noted once: while replicas catch up, the pods may be removed with what they read.
    """
    if context.status.dataset.verdict is not None:
        return
    telemetry = None
    if context.benchmark.spec.load.telemetry.collect is not Collect.NONE:
        packed = max((each.telemetry for each in progress), default="", key=len)
        telemetry = unpack_telemetry(packed)
    known = context.status.dataset
    is_timed = bool(known.by_pod) or all_reported(dataset, progress)
    done = conclude_indexing(known, dataset.indexing, telemetry, is_timed=is_timed)
    context.update(dataset=done)


def _verify(context: ReconcileContext, dataset: Dataset, *, complete: bool) -> None:
    """Compare what Solr holds with the spec, or else with what the index pods reported.

    Where the pods of the complete Job are gone with their reports, Solr's own number counts.
    """
    sent = context.status.dataset.documents
    expected = known_documents(dataset) or (sent if complete else None)
    with context.solr(timeout_seconds=30) as solr:
        # What is not committed is in no searcher, and so in no count.
        _commit(context, solr, dataset.indexing.max_segments)
        sizes = _replica_sizes(context, solr)
    apply_outcome(check_documents(sizes, sent, expected))
    known = expected or sent or total_documents(sizes) or None
    apply_outcome(check_expected_known(known, is_empty=complete and not sent))
    _record_sizes(context, sizes)


_CUT_SECONDS = 5.0
"""After which a commit that fails was begun by Solr: what is refused is refused at once."""


def _commit(context: ReconcileContext, solr: SolrClient, max_segments: int | None) -> None:
    """Commit, and note how long the first commit took: later ones have nothing to write."""
    begin, done = time.monotonic(), context.status.dataset
    try:
        commit(solr, names.collection(context.benchmark), max_segments)
    except TemporaryError:
        # Solr goes on with it, and the next reconcile waits for what is left. A proxy may have
        # ended the request long before our own limit.
        least = min(_CUT_SECONDS, COMMIT_TIMEOUT_SECONDS - 1)
        if time.monotonic() - begin > least and done.commit_time is None:
            context.update_part("dataset", commit_time=context.now)
        raise
    if done.commit_seconds is None:
        seconds = time.monotonic() - begin
        if done.commit_time is not None:
            seconds += (context.now - done.commit_time).total_seconds()
        context.update_part("dataset", commit_seconds=round(seconds, 3))
