"""The objects a benchmark owns: deleted until nothing is left."""

from collections.abc import Sequence

from solrbench.contract.names import LABEL_COMPONENT, SOLR, ZOOKEEPER
from solrbench.controller.objects import find_lost_pods, force_delete
from solrbench.controller.owned_objects import (
    BUDGETS,
    DEPLOYMENTS,
    OWNED_KINDS,
    PODS,
    REPLICA_SETS,
    OwnedKind,
    OwnedObjects,
)
from solrbench.decide.views import attempt_of
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.facts import is_of_nodes
from solrbench.kube.reader import Manifest
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.target import PodReason

_KUBERNETES = ("kubernetes.io", "k8s.io")


def delete_components(
    owned: OwnedObjects, components: tuple[str, ...], attempt_below: int | None = None
) -> bool:
    """Delete the objects of some components; return whether nothing of them is left.

    Objects of the attempt `attempt_below` and of later ones are spared.
    """
    if attempt_below is not None and attempt_below <= 1:
        return True  # nothing can be left of an attempt before the first
    left = False
    if ZOOKEEPER in components:
        # It goes when no Solr pod is left: one that is just starting would wait in vain for it in a
        # hook of the Solr Operator v0.9 that makes its path there, and the kubelet stops no
        # container before its hook has ended; that takes most of a minute.
        pods = owned.list(PODS)
        left = any(_matches(pod, (SOLR,), attempt_below) for pod in pods if SOLR in components)
        components = tuple(each for each in components if each != ZOOKEEPER or not left)
    for kind in OWNED_KINDS:
        operated = kind.not_removed is not None
        if operated and SOLR not in components:
            continue
        bodies = [body for body in _list(owned, kind) if _matches(body, components, attempt_below)]
        for body in bodies:
            owned.delete(kind, body)
        if kind == PODS:
            # No kubelet confirms the end of a pod whose node is lost: it would stay for ever.
            lost = find_lost_pods(owned.cluster, bodies, owned.now)
            force_delete(owned.cluster, [each for each in lost if each.may_be_forced(owned.now)])
        left = left or bool(bodies)
        if bodies and operated:
            # What another operator made of it is left to it until its resource is gone.
            components = tuple(each for each in components if each not in (SOLR, ZOOKEEPER))
    return not left


def delete_budgets(owned: OwnedObjects, components: tuple[str, ...]) -> None:
    """Delete the PodDisruptionBudgets of pods that may stay, but are measured no more."""
    for body in _list(owned, BUDGETS):
        if _matches(body, components, None):
            owned.delete(BUDGETS, body)


def _list(owned: OwnedObjects, kind: OwnedKind) -> Sequence[Manifest]:
    try:
        return owned.list(kind)
    except ForbiddenError:
        if kind not in (BUDGETS, DEPLOYMENTS, REPLICA_SETS):
            raise
        return ()  # a role of an earlier release has no right to make one either


def remove_components(
    owned: OwnedObjects,
    components: tuple[str, ...],
    reason: CleanupReason = CleanupReason.REMOVING_PODS,
) -> TemporaryError | None:
    """Delete the objects of some components; return what holds that up, or `reason` to wait."""
    if delete_components(owned, components):
        return None
    return find_removal_blocker(owned) or TemporaryError(reason, "pods are terminating")


def find_removal_blocker(owned: OwnedObjects) -> TemporaryError | None:
    """Return what holds the removal of a benchmark up, if it is known.

    That is an object with a finalizer of others, or a pod whose node is lost.
    """
    pods = owned.list(PODS)
    lost, blocking = find_lost_pods(owned.cluster, pods, owned.now), blocking_finalizer(owned)
    is_foreign = blocking is not None and blocking.reason == CleanupReason.FINALIZERS_LEFT
    if is_foreign and any(map(_is_ending, pods)):
        blocking = None  # it is said when nothing runs any more, and others need not wait for it
    if blocking is not None or not lost:
        return blocking
    return TemporaryError(PodReason.NODE_LOST, "; ".join(lost_pod.message for lost_pod in lost))


def _is_ending(pod: Manifest) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return pod["metadata"].get("deletionTimestamp") is not None and phase in ("Pending", "Running")


def blocking_finalizer(owned: OwnedObjects) -> TemporaryError | None:
    """Return what holds the removal of a benchmark up, if it is an object with finalizers."""
    for kind in OWNED_KINDS:
        operated = kind.not_removed is not None
        for body in _list(owned, kind):
            metadata = body["metadata"]
            if metadata.get("deletionTimestamp") is None:
                continue
            finalizers = [
                each for each in metadata.get("finalizers") or [] if operated or _is_foreign(each)
            ]
            if finalizers:
                remover = "the operator that made it" if operated else "what set this finalizer"
                return TemporaryError(
                    kind.not_removed or CleanupReason.FINALIZERS_LEFT,
                    f"{kind.kind} {metadata['name']} is being deleted and waits for"
                    f" {', '.join(finalizers)}; check that {remover} is running",
                )
    return None


def _is_foreign(finalizer: str) -> bool:
    # Those that Kubernetes itself removes have no domain, such as `foregroundDeletion`, or its own.
    domain, slash, _ = finalizer.partition("/")
    return bool(slash) and domain not in _KUBERNETES and not domain.endswith(".kubernetes.io")


def latest_attempt(owned: OwnedObjects) -> int:
    """Return the last attempt that anything of the target was made for; 0 if there is nothing."""
    bodies = (body for kind in OWNED_KINDS if not kind.has_owner for body in _list(owned, kind))
    return max((attempt_of(body) for body in bodies if is_of_nodes(body)), default=0)


def _matches(body: Manifest, components: tuple[str, ...], attempt_below: int | None) -> bool:
    labels = body["metadata"].get("labels") or {}
    is_spared = attempt_below is not None and attempt_of(body) >= attempt_below
    return labels.get(LABEL_COMPONENT) in components and not is_spared
