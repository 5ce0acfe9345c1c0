"""The objects a benchmark owns: applied, listed, and found when their node is lost."""

import logging
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime

from solrbench.contract import names
from solrbench.contract.endpoints import reads_pods
from solrbench.contract.load_plan import TOKEN
from solrbench.controller.context import ReconcileContext
from solrbench.decide.lifecycle import check_starting
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.pods import (
    FAILED_CREATE,
    LostPod,
    PodProblem,
    find_creation_problem,
    find_lost_pod,
    is_overdue,
)
from solrbench.decide.views import JobView, PodView, controller_uid, view_job, view_pod
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.facts import list_labelled
from solrbench.kube.reader import Manifest
from solrbench.manifests.agent import build_agent_token
from solrbench.manifests.common import owner_uid
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.solr.config_set import archive_of, built_in_archive

log = logging.getLogger("solrbench")

TARGET = (names.SOLR, names.ZOOKEEPER, names.INDEX, names.COMPANION)
LOAD = (names.LOAD_MASTER, names.LOAD_WORKER)

_API_VERSIONS = {"Job": "batch/v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1"}


def pods(context: ReconcileContext, *components: str) -> list[PodView]:
    """Return the pods of some components that Jobs and the like of the benchmark made.

    Labels do not say that, as anyone may set them, and pods are trusted, and given tokens.
    """
    listed = list_labelled(context.cluster, context.benchmark, "v1", "Pod")
    return [
        view
        for pod in listed
        if (view := view_pod(pod)).component in components and context.owned.is_made_by_us(pod)
    ]


def creation_problem(
    context: ReconcileContext, kind: str, name: str, wanted: int, seen: Sequence[PodView]
) -> PodProblem | None:
    """Return why pods are missing, if the controller of their StatefulSet or Job is refused."""
    # An evicted pod is made again.
    if sum(not pod.deleting and pod.phase != "Failed" for pod in seen) >= wanted:
        return None
    owner = context.cluster.get(_API_VERSIONS[kind], kind, context.namespace, name)
    if owner is None:
        return None
    try:
        events = context.cluster.events(context.namespace, kind, name, FAILED_CREATE)
    except TemporaryError:
        events = ()  # a role of an earlier release has no right to read them
    return find_creation_problem({"kind": kind, **owner}, seen, events)


def apply_job(
    context: ReconcileContext, manifests: Iterable[Manifest], since: datetime | None
) -> None:
    """Apply a Job and all that its pods need, which have been missing `since` then, if it is known.

    Raises:
        TemporaryError: if something is refused, by a quota or as its name is taken.
        PermanentError: if that lasts longer than pods may take to start; others wait meanwhile.
    """
    try:
        for manifest in manifests:
            context.cluster.apply(manifest)
    except TemporaryError as error:
        if error.reason not in (ApiServerReason.API_REFUSED, ApiServerReason.NAME_TAKEN):
            raise
        problem = PodProblem(error.reason, error.message, since=since)
        limit = context.benchmark.spec.deadlines.starting_seconds
        apply_outcome(check_starting(problem, context.now, limit))


def read_job(context: ReconcileContext, component: str) -> Manifest | None:
    """Return the Job of a component, if it is there and belongs to the benchmark."""
    name = names.child(context.benchmark, component)
    body = context.cluster.get("batch/v1", "Job", context.namespace, name)
    # One of a benchmark before of the same name is left to the garbage collector.
    is_own = body is not None and controller_uid(body) == context.benchmark.metadata.uid
    return body if is_own else None


def job(context: ReconcileContext, component: str) -> JobView | None:
    """Return the same as the checks see it."""
    body = read_job(context, component)
    return None if body is None else view_job(body)


def read_archive(context: ReconcileContext) -> bytes:
    """Return the config set as a zip: the user's, or the built-in one."""
    reference = context.benchmark.spec.collection.config_set.config_map
    if reference is None:
        return built_in_archive()
    name = reference.name
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    if body is None:
        raise TemporaryError(
            LifecycleReason.CONFIG_MAP_NOT_FOUND, f"ConfigMap {name} was deleted; create it again"
        )
    return archive_of(body)


def find_lost_pods(cluster: Cluster, pods: Iterable[Manifest], now: datetime) -> list[LostPod]:
    """Return the pods that are overdue and whose node is lost.

    A node is read only for a pod that is overdue, as far as the operator has the right to.
    """
    lost = []
    for pod in pods:
        node = (pod.get("spec") or {}).get("nodeName")
        if node and is_overdue(pod, now):
            try:
                body = cluster.get("v1", "Node", "", node)
                lost.append(find_lost_pod(pod, body, now, may_read=True))
            except ForbiddenError:
                lost.append(find_lost_pod(pod, None, now, may_read=False))
            except TemporaryError:
                continue  # it is looked at again
    return [each for each in lost if each is not None]


def force_delete(cluster: Cluster, pods: Iterable[LostPod]) -> None:
    """Delete pods without waiting for their kubelet, each by its uid.

    A kubelet that comes back ends the containers: the API server no longer knows their pod.
    """
    for pod in pods:
        log.warning("%s: %s", pod.namespace, pod.message)
        cluster.delete("v1", "Pod", pod.namespace, pod.name, 0, uid=pod.uid)


def stored_token(context: ReconcileContext, component: str) -> str:
    """Return the token in the ConfigMap of a component; empty if there is none.

    It raises `TemporaryError` if the API server does not respond.
    """
    benchmark, name = context.benchmark, names.child(context.benchmark, component)
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    if body is None or controller_uid(body) != owner_uid(benchmark, component):
        return ""
    return str((body.get("data") or {}).get(TOKEN, ""))


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def ensure_agent_token(context: ReconcileContext) -> None:
    """Make the token of the agents, which those of a shared target have in common.

    It must be there before their pods, which read it as they start.
    """
    if reads_pods(context.benchmark) and not stored_token(context, names.SOLR):
        attempt = context.status.attempts.target
        context.cluster.apply(build_agent_token(context.benchmark, attempt, new_token()))
