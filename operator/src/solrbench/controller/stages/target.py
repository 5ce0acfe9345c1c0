"""The target stage: nodes and collection are made where they must be, then checked and recorded."""

from contextlib import suppress

from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.status import DatasetStatus, TargetStatus
from solrbench.contract import names
from solrbench.contract.environment import MeasuredTarget, VariantTarget
from solrbench.controller.companions import (
    companion_pods,
    ensure_companions,
    variant_url,
    verify_companions,
)
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_components, find_removal_blocker
from solrbench.controller.failure_evidence import add_late_pod_events, keep_diagnostics
from solrbench.controller.objects import LOAD, ensure_agent_token
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.decide.conditions import DATA_INDEXED, TARGET_READY
from solrbench.decide.indexing import count_deleted, total_documents
from solrbench.decide.lifecycle import check_target_attempts, next_target_attempt
from solrbench.decide.outcome import TargetLostError, apply_outcome
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.facts import record_target
from solrbench.manifests.network_policies import build_network_policies
from solrbench.reasons.target import TargetReason
from solrbench.solr.cluster import node_identities, replica_sizes_via_proxy, replicas, resolve_alias


def reconcile_target(context: ReconcileContext) -> None:
    """Bring the target to where the spec wants it.

    Raises:
        TemporaryError: while pods start, with their trouble as the reason if they have one.
        PermanentError: if Solr refuses what the spec requires.
        TargetLostError: if a pod or node of a finished target is not the one it was.
    """
    if context.conditions.is_true(TARGET_READY):
        try:
            verify_target(context)
        except TemporaryError as error:
            # An API server that does not respond says nothing of Solr: the load goes on, and the
            # next reconcile looks again before it stores what was measured meanwhile.
            context.unseen_target = error
        return
    context.set_phase("Provisioning")
    # A point of a sweep uses the index of the one before, so it must be whole.
    if context.conditions.is_true(DATA_INDEXED):
        # After an exception TargetReady is False, though results of before are stored.
        verify_target(context)
    attempts = context.status.attempts
    # A list: all of them are deleted before any is waited for.
    gone = [
        delete_components(context.owned, LOAD, attempts.load),
        delete_components(context.owned, (names.INDEX,), attempts.index),
        delete_components(context.owned, names.SERVERS, attempts.target),
    ]
    if not all(gone):
        raise find_removal_blocker(context.owned) or TemporaryError(
            TargetReason.REMOVING_OLD_TARGET, "pods of the previous attempt are terminating"
        )
    # Before any pod that they are about.
    for policy in build_network_policies(context.benchmark, context.settings.policy_peers):
        context.cluster.apply(policy)
    ensure_agent_token(context)
    provisioner = provisioner_of(context)
    provisioner.ensure_ready(context)
    ensure_companions(context)
    context.conditions.set(TARGET_READY, "True", TargetReason.READY, provisioner.ready_message)


def verify_target(context: ReconcileContext) -> None:
    """Check that the target is the one that became ready."""
    provisioner = provisioner_of(context)
    seen, companions = provisioner.pods(context), companion_pods(context)
    # First: a pod that ended may be deleted as soon as its loss is noticed.
    add_late_pod_events(context, [*seen, *companions])
    provisioner.check_unchanged(context, seen)
    verify_companions(context, companions)


def restart_target(context: ReconcileContext, lost: TargetLostError) -> None:
    """Begin a new attempt of target and load; stored steps stay."""
    attempts, limit = context.status.attempts, context.benchmark.spec.backoff_limit
    apply_outcome(check_target_attempts(attempts, limit, lost.reason, lost.message))
    again = next_target_attempt(attempts, fresh_nodes=context.existing is None)
    # Nodes that were there at first must be back: half a cluster would be another target.
    expected = TargetStatus(nodes=dict.fromkeys(context.status.target.nodes, ""))
    # Before the attempts count up: objects of lower numbers are deleted, and logs with them.
    where = keep_diagnostics(context, lost.reason, lost.message)
    context.update(
        attempts=again, target=expected, dataset=DatasetStatus(), live_load=None, phase=""
    )
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(
            type_, "False", lost.reason, f"{lost.message}; target and data are made again{where}"
        )


INDEX_SECONDS = 5.0
"""A target that is measured may respond late; its result must not wait for long."""


def observe_measured_target(context: ReconcileContext, variant: str = "") -> MeasuredTarget:
    """Return what the step run that has just ended was measured on.

    `variant` names the variant that it went through; it is empty without variants.
    """
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    documents, deleted = _count_index(context)
    filled = context.benchmark.spec.dataset is not None
    versions = context.status.target.solr_version
    # As it is stored: after a crash before it was, a reconcile would take its own time for it.
    stored = find_condition(context.benchmark.status.conditions, DATA_INDEXED)
    indexed = None
    if filled and stored is not None and stored.status == "True":
        indexed = stored.last_transition_time
    return record_target(context.cluster, benchmark).model_copy(
        update={
            "documents": documents,
            "deleted_documents": deleted,
            "indexing_seconds": context.status.dataset.seconds,
            "indexing_is_valid": context.status.dataset.is_valid,
            "index_bytes": context.status.dataset.index_bytes,
            "filled": filled,
            "solr_versions": versions.split(", ") if versions else [],
            "variant": _observe_variant(context, variant),
            "indexed": indexed,
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
    with suppress(SolrbenchError), context.solr(INDEX_SECONDS, url) as solr:
        versions = sorted({each.solr_version[:32] for each in node_identities(solr).values()})[:8]
        if not context.benchmark.spec.may_change_index:
            found = replicas(solr, resolve_alias(solr, collection))
            documents = total_documents(replica_sizes_via_proxy(solr, found))
    return VariantTarget(documents=documents, solr_versions=versions)


def _count_index(context: ReconcileContext) -> tuple[int | None, int | None]:
    """Return the documents in the index and the deleted ones, as far as they can be read."""
    if context.benchmark.spec.may_change_index:
        dataset = context.status.dataset
        return dataset.documents, dataset.deleted_documents
    provisioner = provisioner_of(context)
    try:
        with context.solr(timeout_seconds=INDEX_SECONDS) as solr:
            sizes = provisioner.replica_sizes(solr, provisioner.find_replicas(context, solr))
    except SolrbenchError:
        return None, None  # a result is not refused because Solr does not describe itself
    return total_documents(sizes), count_deleted(sizes)
