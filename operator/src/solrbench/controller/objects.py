"""The objects a benchmark owns: applied and listed."""

from collections.abc import Sequence

from solrbench.cluster.client import Manifest
from solrbench.cluster.owned_objects import list_labelled
from solrbench.controller.context import ReconcileContext
from solrbench.decide.ownership import controller_uid
from solrbench.decide.pods.creation import FAILED_CREATE, find_creation_problem
from solrbench.decide.pods.problems import PodProblem
from solrbench.decide.views import JobView, PodView, view_job, view_pod
from solrbench.errors import TemporaryError
from solrbench.plan import names

TARGET = (names.SOLR, names.ZOOKEEPER, names.INDEX, names.COMPANION)
LOAD = (names.LOAD_MASTER, names.LOAD_WORKER)

_API_VERSIONS = {"Job": "batch/v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1"}


def pods(context: ReconcileContext, *components: str) -> list[PodView]:
    """Return the pods of some components."""
    found = list_labelled(context.cluster, context.benchmark, "v1", "Pod")
    views = [view_pod(each) for each in found]
    return [each for each in views if each.component in components]


def creation_problem(
    context: ReconcileContext, kind: str, name: str, wanted: int, seen: Sequence[PodView]
) -> PodProblem | None:
    """Return why pods are missing, if the controller of their StatefulSet or Job may not make them.

    Args:
        context: the reconcile
        kind: StatefulSet, Deployment or Job
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
    """Return the Job of a component, if it is there and belongs to the benchmark."""
    body = context.cluster.get(
        "batch/v1", "Job", context.namespace, names.child(context.benchmark, component)
    )
    if body is None or controller_uid(body) != context.benchmark.metadata.uid:
        return None
    return view_job(body)


def apply_all(context: ReconcileContext, manifests: list[Manifest]) -> None:
    """Apply objects in order."""
    for manifest in manifests:
        context.cluster.apply(manifest)
