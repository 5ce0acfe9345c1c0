"""The objects a benchmark owns: listed, and deleted until nothing is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from solrbench.cluster.client import Cluster, Manifest
from solrbench.controller.context import ReconcileContext
from solrbench.controller.lost_pods import find_lost_pods, force_delete
from solrbench.decide.pod_creation import FAILED_CREATE, find_creation_problem
from solrbench.decide.pod_problems import PodProblem
from solrbench.decide.views import JobView, PodView, view_job, view_pod
from solrbench.errors import TemporaryError
from solrbench.manifests import solr_cloud
from solrbench.plan import names
from solrbench.plan.names import (
    LABEL_ATTEMPT,
    LABEL_BENCHMARK,
    LABEL_COMPONENT,
    SOLR,
    ZOOKEEPER,
)
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.pod import PodReason

TARGET = (names.SOLR, names.ZOOKEEPER, names.INDEX)
LOAD = (names.LOAD_MASTER, names.LOAD_WORKER)

SOLR_CLOUDS = (solr_cloud.API_VERSION, solr_cloud.KIND)
ZOOKEEPER_CLUSTERS = ("zookeeper.pravega.io/v1beta1", "ZookeeperCluster")
OPERATED_KINDS = {
    SOLR_CLOUDS: LifecycleReason.SOLR_CLOUD_NOT_REMOVED,
    ZOOKEEPER_CLUSTERS: LifecycleReason.ZOOKEEPER_CLUSTER_NOT_REMOVED,
}
"""Kinds of other operators. What these made of them is theirs to remove, and must be left to
them until the resource is gone: its finalizers need it. Each with the reason while that lasts."""

_API_VERSIONS = {"Job": "batch/v1", "StatefulSet": "apps/v1"}

FIRST_ATTEMPT = 1

OWNED_KINDS = (
    ("batch/v1", "Job"),
    *OPERATED_KINDS,
    ("apps/v1", "StatefulSet"),
    ("v1", "Service"),
    ("v1", "ConfigMap"),
    ("v1", "Pod"),
    ("v1", "PersistentVolumeClaim"),
)
"""In the order of deletion: load first, so that it stops at once."""


def pods(context: ReconcileContext, *components: str) -> list[PodView]:
    """Return the pods of some components."""
    found = context.cluster.list("v1", "Pod", context.namespace, _selector(context))
    views = [view_pod(each) for each in found]
    return [each for each in views if each.component in components]


def creation_problem(
    context: ReconcileContext, kind: str, name: str, wanted: int, seen: Sequence[PodView]
) -> PodProblem | None:
    """Return why pods are missing, if the controller of their StatefulSet or Job may not make them.

    Args:
        context: the reconcile
        kind: StatefulSet or Job
        name: its name
        wanted: pods that it must have
        seen: its pods

    """
    if sum(not pod.deleting for pod in seen) >= wanted:
        return None
    owner = context.cluster.get(_API_VERSIONS[kind], kind, context.namespace, name)
    if owner is None:
        return None
    try:
        events = context.cluster.events(context.namespace, kind, name, FAILED_CREATE)
    except TemporaryError:
        events = ()  # a role of an earlier release has no right to read them
    return find_creation_problem({"kind": kind, **owner}, seen, events)


def job(context: ReconcileContext, component: str) -> JobView | None:
    """Return the Job of a component, if it is there."""
    body = context.cluster.get(
        "batch/v1", "Job", context.namespace, names.child(context.benchmark, component)
    )
    return None if body is None else view_job(body)


def apply_all(context: ReconcileContext, manifests: list[Manifest]) -> None:
    """Apply objects in order."""
    for manifest in manifests:
        context.cluster.apply(manifest)


def removal_of(context: ReconcileContext) -> "Removal":
    """Return the removal of the objects of a benchmark that is reconciled."""
    name = context.benchmark.metadata.name
    return Removal(context.cluster, context.namespace, name, context.now)


def delete_components(
    context: ReconcileContext, *components: str, attempt_below: int | None = None
) -> bool:
    """Delete the objects of some components; return whether nothing of them is left.

    Args:
        context: the reconcile
        components: whose objects to delete
        attempt_below: spare those of this attempt and later ones

    """
    if attempt_below is not None and attempt_below <= FIRST_ATTEMPT:
        return True  # nothing can be left of an attempt before the first
    return delete_children(removal_of(context), components, attempt_below)


@dataclass(frozen=True)
class Removal:
    """Whose objects are removed.

    Attributes:
        cluster: where they are
        namespace: of the benchmark
        benchmark_name: its name; nothing more is known of one that is being deleted
        now: time of the observation

    """

    cluster: Cluster
    namespace: str
    benchmark_name: str
    now: datetime

    @property
    def selector(self) -> dict[str, str]:
        """Labels of everything that belongs to the benchmark."""
        return {LABEL_BENCHMARK: self.benchmark_name}


def delete_children(
    removal: Removal, components: tuple[str, ...], attempt_below: int | None = None
) -> bool:
    """Delete as `delete_components` does, for a benchmark that is known by its name alone.

    ZooKeeper goes when no Solr pod is left: one that is just starting would wait in vain for it in
    a hook of the Solr Operator v0.9 that makes its path there, and the kubelet stops no container
    before its hook has ended; that takes most of a minute. A pod whose node is lost is
    deleted without its kubelet.
    """
    cluster, namespace, selector = removal.cluster, removal.namespace, removal.selector
    left = False
    if ZOOKEEPER in components:
        solr_pods = cluster.list("v1", "Pod", namespace, selector | {LABEL_COMPONENT: SOLR})
        left = any(_matches(pod, components, attempt_below) for pod in solr_pods)
        components = tuple(each for each in components if each != ZOOKEEPER or not left)
    for api_version, kind in OWNED_KINDS:
        operated = (api_version, kind) in OPERATED_KINDS
        if operated and SOLR not in components:
            continue
        read = cluster.list_if_served if operated else cluster.list
        found = [
            body
            for body in read(api_version, kind, namespace, selector)
            if _matches(body, components, attempt_below)
        ]
        for body in found:
            _delete(cluster, api_version, kind, body)
        if kind == "Pod":
            lost = find_lost_pods(cluster, found, removal.now)
            force_delete(cluster, [each for each in lost if each.may_be_forced(removal.now)])
        left = left or bool(found)
        if found and operated:
            components = tuple(each for each in components if each not in (SOLR, ZOOKEEPER))
    return not left


def find_removal_obstacle(removal: Removal) -> TemporaryError | None:
    """Return what holds the removal of a benchmark up, if it is known.

    That is a resource of another operator, or a pod whose node is lost.
    """
    cluster, namespace = removal.cluster, removal.namespace
    lost = find_lost_pods(
        cluster, cluster.list("v1", "Pod", namespace, removal.selector), removal.now
    )
    blocking = blocking_finalizer(cluster, namespace, removal.benchmark_name)
    if blocking is not None or not lost:
        return blocking
    return TemporaryError(PodReason.NODE_LOST, "; ".join(each.message for each in lost))


def blocking_finalizer(
    cluster: Cluster, namespace: str, benchmark_name: str
) -> TemporaryError | None:
    """Return what holds the removal of a benchmark up, if it is a resource of another operator."""
    for (api_version, kind), reason in OPERATED_KINDS.items():
        selector = {LABEL_BENCHMARK: benchmark_name}
        for body in cluster.list_if_served(api_version, kind, namespace, selector):
            metadata = body["metadata"]
            finalizers = metadata.get("finalizers") or []
            if finalizers and metadata.get("deletionTimestamp") is not None:
                return TemporaryError(
                    reason,
                    f"{kind} {metadata['name']} is being deleted and waits for"
                    f" {', '.join(finalizers)}; check that the operator that made it is running",
                )
    return None


def _matches(body: Manifest, components: tuple[str, ...], attempt_below: int | None) -> bool:
    labels = body["metadata"].get("labels") or {}
    if labels.get(LABEL_COMPONENT) not in components:
        return False
    return attempt_below is None or int(labels.get(LABEL_ATTEMPT, "0")) < attempt_below


def _delete(cluster: Cluster, api_version: str, kind: str, body: Manifest) -> None:
    """Delete an object; pods at once, they have nothing to save.

    A ZookeeperCluster goes with the SolrCloud that owns it.
    """
    metadata = body["metadata"]
    if (api_version, kind) == ZOOKEEPER_CLUSTERS:
        return
    if metadata.get("deletionTimestamp") is None:
        grace = 1 if kind == "Pod" else None
        cluster.delete(api_version, kind, metadata["namespace"], metadata["name"], grace)


def _selector(context: ReconcileContext) -> dict[str, str]:
    return {LABEL_BENCHMARK: context.benchmark.metadata.name}
