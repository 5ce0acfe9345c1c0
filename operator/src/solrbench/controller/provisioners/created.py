"""What targets have in common whose pods are made for the benchmark."""

from abc import abstractmethod

from solrbench.api.quantities import parse_bytes
from solrbench.contract import names
from solrbench.controller import objects
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.provisioner import (
    TargetProvisioner,
    accept_versions,
    check_created,
)
from solrbench.decide.collection import check_settings
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.outcome import TargetLostError, apply_outcome, first_outcome
from solrbench.decide.target import NODE_CHECKS, TargetNodes, check_pods_unchanged
from solrbench.decide.views import PodView, Replica, ReplicaSize
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import live_nodes, node_identity, replica_sizes, replicas
from solrbench.solr.collection import (
    apply_properties,
    create_collection,
    delete_stale_collection,
    reload_collection,
    unset_properties,
    upload_config_set,
)


class CreatedTarget(TargetProvisioner):
    """Nodes that are made for the benchmark, and go with their collection."""

    ready_message = "live nodes, replicas and caches match the spec"

    @abstractmethod
    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make ZooKeeper and the Solr nodes, and wait until all of them are ready."""

    def ensure_ready(self, context: ReconcileContext) -> None:
        """Make pods, config set, collection and caches, and check what Solr reports of them."""
        self.ensure_pods(context)
        _check_nodes(context)
        self._make_collection(context)

    def _make_collection(self, context: ReconcileContext) -> None:
        name = names.collection(context.benchmark)
        wanted = context.benchmark.spec.collection
        config_set = names.config_set(context.benchmark, context.status.attempts.index)
        reused = context.conditions.is_true(DATA_INDEXED)
        with context.solr(timeout_seconds=30) as solr:
            if config_set != name:  # the collection of the repeat or point before may be there
                prefix = names.config_set_prefix(context.benchmark)
                delete_stale_collection(solr, name, config_set, prefix)
            created = replicas(solr, name)
            if reused and not created:
                raise TargetLostError(
                    TargetReason.COLLECTION_LOST, f"collection {name} no longer exists"
                )
            if not created:
                # The name of the config set says which attempt a collection is of, so it is there
                # before the collection is.
                upload_config_set(solr, config_set, objects.read_archive(context))
                create_collection(solr, name, wanted, live_nodes(solr), config_set)
            check_created(wanted, replicas(solr, name), self.node_count(context))
            if reused and wanted.config_set.config_map is None:
                # The point before may have set caches that this one leaves at their defaults. With
                # a config set of the user's it has the same settings, and some are of that set.
                unset_properties(solr, name, wanted)
            apply_outcome(check_settings(apply_properties(solr, name, wanted)))
            # Once, as it is taken over, and never under load: caches are then as empty as those of
            # a collection that was just filled.
            if reused and context.status.target.url is None:
                reload_collection(solr, name)
        if reused:
            # A pod that ended since the point before has lost what it was measured with.
            self.check_unchanged(context, self.pods(context))
        context.update_part(
            "target",
            url=f"{context.endpoint.urls[0]}/{name}",
            pods={pod.name: pod.identity for pod in self.pods(context)},
        )

    def pods(self, context: ReconcileContext) -> list[PodView]:
        """Return the pods of Solr and ZooKeeper."""
        return objects.pods(context, names.SOLR, names.ZOOKEEPER)

    def check_unchanged(self, context: ReconcileContext, pods: list[PodView]) -> None:
        """Check that every pod is the one that was there when the target became ready."""
        apply_outcome(check_pods_unchanged(context.status.target.pods, pods, context.now))

    def node_count(self, context: ReconcileContext) -> int:
        """Return the number of nodes of the spec."""
        return context.solr_cloud.nodes

    def find_replicas(self, context: ReconcileContext, solr: SolrClient) -> list[Replica]:
        """Return the replicas of the collection, which is behind no alias."""
        return replicas(solr, names.collection(context.benchmark))

    def replica_sizes(self, solr: SolrClient, found: list[Replica]) -> list[ReplicaSize]:
        """Return the index of each replica, each node asked directly."""
        return replica_sizes(solr, found)


def _check_nodes(context: ReconcileContext) -> None:
    wanted = context.solr_cloud.nodes
    with context.solr() as solr:
        live = len(live_nodes(solr))
        context.update_part("target", live_nodes=live)
        # One that is not live yet does not respond.
        urls = context.endpoint.urls if live == wanted else []
        nodes_by_url = {url: node_identity(solr, url) for url in urls}
    nodes = TargetNodes(
        live=live,
        wanted=wanted,
        versions={url: node.solr_version for url, node in nodes_by_url.items()},
        heap_bytes={url: node.heap_max_bytes for url, node in nodes_by_url.items()},
        wanted_heap_bytes=parse_bytes(context.solr_cloud.heap),
    )
    apply_outcome(first_outcome(NODE_CHECKS, nodes))
    versions = sorted({node.solr_version for node in nodes_by_url.values()})
    # Of an image with a tag of its own, the version is known only now.
    accept_versions(context, versions)
    context.update_part(
        "target",
        solr_version=", ".join(versions),
        heap_bytes=min(node.heap_max_bytes for node in nodes_by_url.values()),
    )
