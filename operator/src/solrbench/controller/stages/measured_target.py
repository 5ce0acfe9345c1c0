"""What a step run was measured on, recorded with its result."""

from solrbench.cluster.environment import record_target
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.decide.checks.indexing import count_deleted, count_documents, find_disagreement
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.errors import SolrbenchError
from solrbench.results.model.measured_target import MeasuredTarget

INDEX_SECONDS = 5.0
"""A target that is measured may respond late; its result must not wait for long."""


def observe_measured_target(context: ReconcileContext) -> MeasuredTarget:
    """Return what the step run that has just ended was measured on.

    Raises:
        TemporaryError: if the API server does not respond.

    """
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    documents, deleted = _count_index(context)
    filled = context.benchmark.spec.dataset is not None
    return record_target(context.cluster, benchmark).model_copy(
        update={
            "documents": documents,
            "deleted_documents": deleted,
            "indexing_seconds": context.status.dataset.seconds,
            "index_bytes": context.status.dataset.index_bytes,
            "filled": filled,
            "indexed": context.conditions.get(DATA_INDEXED).last_transition_time
            if filled
            else None,
        }
    )


def _count_index(context: ReconcileContext) -> tuple[int | None, int | None]:
    """Return the documents in the index and the deleted ones, as far as they can be read."""
    if context.benchmark.spec.workload.may_change_index:
        dataset = context.status.dataset
        return dataset.documents, dataset.deleted_documents
    provisioner = provisioner_of(context)
    try:
        with context.solr(timeout_seconds=INDEX_SECONDS) as solr:
            found = provisioner.find_replicas(context, solr)
            sizes = tuple(provisioner.replica_sizes(solr, found))
    except (SolrbenchError, LookupError, TypeError, ValueError):
        return None, None  # a result is not refused because Solr does not describe itself
    documents = None if find_disagreement(sizes) else sum(count_documents(sizes).values())
    return documents, count_deleted(sizes)
