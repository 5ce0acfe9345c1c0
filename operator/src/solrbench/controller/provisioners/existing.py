"""`spec.target.existing`: Solr is there already, only our collection is made there."""

import time
from datetime import timedelta

from solrbench.api.v1alpha1.status import TargetStatus
from solrbench.contract import names
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import leader_urls
from solrbench.controller.objects import read_archive
from solrbench.controller.provisioners.provisioner import (
    TargetProvisioner,
    accept_versions,
    check_created,
)
from solrbench.decide.collection import check_active, check_settings
from solrbench.decide.existing_target import (
    ExistingNodes,
    check_enough_nodes,
    check_existing_nodes,
    check_own_collection,
    check_user_collection,
)
from solrbench.decide.outcome import apply_outcome, first_outcome
from solrbench.decide.pauses import has_passed
from solrbench.decide.target import NODE_CHECKS, TargetNodes
from solrbench.decide.views import NodeIdentity, PodView, Replica, ReplicaSize
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import (
    all_node_identities,
    replica_sizes_via_proxy,
    replicas,
    resolve_alias,
    zookeepers,
)
from solrbench.solr.collection import (
    apply_properties,
    create_collection,
    delete_stale_collection,
    removable_config_set,
    remove_managed_collection,
    upload_config_set,
)

_REMOVAL_SECONDS = 60.0
"""What one try of removing a collection may take; what is left is for the next one."""

CHECK_PAUSE = timedelta(seconds=10)
"""Between two looks at the nodes while others measure them."""

LOADING_PATIENCE = timedelta(minutes=2)
"""How long a node that was started again may take to load the cores of an earlier attempt."""


class ExistingTarget(TargetProvisioner):
    """Nodes of another owner: observed, and changed only by the benchmark's collection."""

    ready_message = "the existing nodes and replicas are active"

    def ensure_ready(self, context: ReconcileContext) -> None:
        """Check nodes and collection, and make the collection if it is to be ours."""
        uses_collection = context.benchmark.spec.target.uses_collection
        with context.solr(timeout_seconds=30) as solr:
            identities = all_node_identities(solr)
            nodes = TargetNodes(
                live=len(identities),
                missing=tuple(sorted(context.status.target.nodes.keys() - identities.keys())),
                versions={name: identity.solr_version for name, identity in identities.items()},
                version_field="target.existing",
            )
            apply_outcome(first_outcome(NODE_CHECKS, nodes))
            # Before nodes are recorded in the status: with a wrong password, or a foreign
            # collection of the same name, the benchmark ends here and needs no clean-up.
            is_made = not uses_collection and _is_created(context, solr)
            _record_target(context, solr, identities)
            if uses_collection:
                name = names.collection(context.benchmark)
                found = self.find_replicas(context, solr)
                apply_outcome(check_user_collection(name, found))
            elif not context.benchmark.status.target.nodes:
                # The nodes are recorded before the collection is created: clean-up depends on them.
                raise TemporaryError(
                    TargetReason.CREATING_COLLECTION,
                    "the nodes respond, the collection is created next",
                )
            else:
                self._make_collection(context, solr, identities, is_made=is_made)

    def _make_collection(
        self,
        context: ReconcileContext,
        solr: SolrClient,
        identities: dict[str, NodeIdentity],
        *,
        is_made: bool,
    ) -> None:
        name, wanted = names.collection(context.benchmark), context.benchmark.spec.collection
        apply_outcome(check_enough_nodes(wanted, len(identities)))
        if not is_made:
            prefix = names.config_set_prefix(context.benchmark)
            config_set = names.config_set(context.benchmark, context.status.attempts.index)
            # A node is live before it has loaded its cores. One that is deleted meanwhile is taken
            # for the core of the same name that follows: its shard would refuse every update.
            since = context.status.phase_start_time or context.now
            if not has_passed(LOADING_PATIENCE, since, context.now):
                apply_outcome(check_active(replicas(solr, name)))
            # Half of an earlier attempt's documents may be in it.
            delete_stale_collection(solr, name, config_set, prefix)
            # Before the collection, which is known as ours by it.
            upload_config_set(solr, config_set, read_archive(context))
            create_collection(solr, name, wanted, sorted(identities), config_set)
        check_created(wanted, self.find_replicas(context, solr), len(identities))
        apply_outcome(check_settings(apply_properties(solr, name, wanted)))

    def check_unchanged(self, context: ReconcileContext, pods: list[PodView]) -> None:
        """Check now and then that no node left or was restarted since the target became ready."""
        del pods
        seen = context.status.target.check_time or context.now
        if has_passed(CHECK_PAUSE, seen, context.now):
            _check_nodes_unchanged(context, required=False)

    def check_before_storing(self, context: ReconcileContext) -> None:
        """Check the same, however short ago the last check was; a response is required."""
        _check_nodes_unchanged(context, required=True)

    def node_count(self, context: ReconcileContext) -> int:
        """Return the number of live nodes when the target became ready."""
        return context.status.target.live_nodes or 0

    def leader_urls(self, context: ReconcileContext) -> dict[str, str] | None:
        """Return the nodes that are allowed and respond, unless a proxy is what is measured."""
        with context.solr() as solr:
            found = self.find_replicas(context, solr)
        allowed = context.allowed_hosts
        return leader_urls(context.cluster, allowed, context.namespace, context.endpoint, found)

    def find_replicas(self, context: ReconcileContext, solr: SolrClient) -> list[Replica]:
        """Return the replicas of the collection; the user's may be behind an alias of it alone."""
        name = names.collection(context.benchmark)
        found = resolve_alias(solr, name)
        if "," in found:
            text = f"{name} is an alias of several collections, {found}; name one of them"
            field = "target.existing.collectionName"
            raise TemporaryError(TargetReason.COLLECTION_NOT_FOUND, f"{field}: {text}")
        return replicas(solr, found)

    def replica_sizes(self, solr: SolrClient, found: list[Replica]) -> list[ReplicaSize]:
        """Return the index of each replica, asked through the endpoint."""
        return replica_sizes_via_proxy(solr, found)

    def remove_collection(self, context: ReconcileContext, *, at_once: bool = False) -> None:
        """Delete the collection that was made for this benchmark; one of the user's stays."""
        # One whose nodes were never seen, as with a wrong password, holds nothing of ours.
        if context.benchmark.spec.target.uses_collection or not context.status.target.nodes:
            return
        benchmark = context.benchmark
        name, prefix = names.collection(benchmark), names.config_set_prefix(benchmark)
        # A benchmark that is over has no place, and must not hold a thread that others wait for.
        context.solr_end = min(context.solr_end, time.monotonic() + _REMOVAL_SECONDS)
        with context.solr(timeout_seconds=30) as solr:
            remove_managed_collection(solr, name, prefix, at_once=at_once)


def _record_target(
    context: ReconcileContext, solr: SolrClient, identities: dict[str, NodeIdentity]
) -> None:
    versions = sorted({identity.solr_version for identity in identities.values()})
    accept_versions(context, versions)
    target = TargetStatus(
        live_nodes=len(identities),
        zookeepers=zookeepers(solr),
        solr_version=", ".join(versions),
        heap_bytes=min(identity.heap_max_bytes for identity in identities.values()),
        url=f"{solr.urls[0]}/{names.collection(context.benchmark)}",
        nodes={name: identity.started for name, identity in identities.items()},
        check_time=context.now,
    )
    context.update(target=target)


def _is_created(context: ReconcileContext, solr: SolrClient) -> bool:
    """Return whether the collection of this attempt exists; one of an earlier attempt is none."""
    name, prefix = names.collection(context.benchmark), names.config_set_prefix(context.benchmark)
    config_set = removable_config_set(solr, name, prefix)
    apply_outcome(check_own_collection(name, config_set, prefix))
    return config_set == names.config_set(context.benchmark, context.status.attempts.index)


def _check_nodes_unchanged(context: ReconcileContext, *, required: bool) -> None:
    """Check that no node left or was restarted; `required` says that Solr must respond now."""
    target = context.status.target
    # Silence counts from the first request without a response: between the last response and that
    # one the operator itself may have been away.
    unanswered = context.now - (target.unanswered_since or context.now)
    try:
        with context.solr() as solr:
            found: dict[str, NodeIdentity] | SolrbenchError = all_node_identities(
                solr, target.nodes
            )
        context.update_part("target", unanswered_since=None, check_time=context.now)
    except SolrbenchError as error:
        found = error
        context.update_part("target", unanswered_since=context.now - unanswered)
    apply_outcome(check_existing_nodes(ExistingNodes(target.nodes, found, unanswered, required)))
