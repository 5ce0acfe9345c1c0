"""What a step run was measured on, recorded with its result."""

from contextlib import suppress

from solrbench.cluster.environment import record_target
from solrbench.controller.companions import variant_url
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.decide.checks.indexing import count_deleted, count_documents, find_disagreement
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.errors import SolrbenchError
from solrbench.plan import names
from solrbench.results.model.measured_target import MeasuredTarget, VariantTarget
from solrbench.solr.cluster import replicas, resolve_alias
from solrbench.solr.cluster_nodes import node_identities, replica_sizes_via_proxy

INDEX_SECONDS = 5.0
"""A target that is measured may respond late; its result must not wait for long."""


def observe_measured_target(context: ReconcileContext, variant: str = "") -> MeasuredTarget:
    """Return what the step run that has just ended was measured on.

    Args:
        context: the reconcile
        variant: name of the variant that it went through; empty without variants

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
            "solr_versions": _known_versions(context),
            "variant": _observe_variant(context, variant),
            "indexed": context.conditions.get(DATA_INDEXED).last_transition_time
            if filled
            else None,
        }
    )


def _observe_variant(context: ReconcileContext, name: str) -> VariantTarget | None:
    """Return what the URLs of a variant lead to; None for endpoints that the operator knows.

    It is asked for metrics and not for documents, as a search would be one more request.
    """
    variants = {each.name: each.urls for each in context.benchmark.spec.target.variants}
    urls = variants.get(name)
    if urls is None:
        return None
    url, collection = variant_url(context, urls[0]), names.collection(context.benchmark)
    versions: list[str] = []
    documents = None
    with (
        suppress(SolrbenchError, LookupError, TypeError, ValueError),
        context.solr(INDEX_SECONDS, url) as solr,
    ):
        versions = sorted({each.solr_version[:32] for each in node_identities(solr).values()})[:8]
        if not context.benchmark.spec.workload.may_change_index:
            found = replicas(solr, resolve_alias(solr, collection))
            sizes = tuple(replica_sizes_via_proxy(solr, found))
            documents = None if find_disagreement(sizes) else sum(count_documents(sizes).values())
    return VariantTarget(documents=documents, solr_versions=versions)


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


def _known_versions(context: ReconcileContext) -> list[str]:
    text = context.status.target.solr_version
    return text.split(", ") if text else []
