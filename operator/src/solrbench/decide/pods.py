"""What is wrong with pods: problems, refused creation, lost nodes, restarts during a step run.

A problem has a reason for programs and a sentence with the remedy for people.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from solrbench.contract.names import AGENT
from solrbench.contract.server_document import PodEvent, PodRecord
from solrbench.contract.step_document import StepRunResult
from solrbench.decide.outcome import Outcome
from solrbench.decide.views import ContainerView, PodView
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.reasons.target import PodReason

STUCK_AFTER = timedelta(seconds=40)
"""A pod that is still being made after this long is a problem."""

_IMAGE_REASONS = {
    *("ErrImagePull", "ImagePullBackOff", "InvalidImageName"),
    *("ErrImageNeverPull", "ImageInspectError"),
}
_CONFIG_REASONS = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}


@dataclass(frozen=True)
class PodProblem(Outcome):
    """Why a pod does not do its work, which its stage waits for."""

    error: type[SolrbenchError] = TemporaryError
    since: datetime | None = field(default=None, compare=False)
    """When the pod was made, if it has not started since."""


def first_problem(pods: Iterable[PodView], now: datetime) -> PodProblem | None:
    """Return the first trouble among the pods, in the order of their names."""
    for pod in sorted(pods, key=lambda pod: pod.name):
        problem = pod_problem(pod, now)
        if problem is not None:
            return replace(problem, since=pod.created if pod.phase == "Pending" else None)
    return None


@dataclass(frozen=True)
class ObservedPods:
    """The pods that a stage waits for."""

    pods: Sequence[PodView]
    now: datetime
    creation: PodProblem | None = field(default=None, kw_only=True)
    """Why pods are missing, if they may not be created."""

    @property
    def problem(self) -> PodProblem | None:
        """The first problem of a pod, else why pods are missing."""
        return first_problem(self.pods, self.now) or self.creation


def pod_problem(pod: PodView, now: datetime) -> PodProblem | None:
    """Return what keeps one pod from its work, or `None`."""
    if pod.unschedulable:
        return PodProblem(
            PodReason.UNSCHEDULABLE,
            f"no node can take pod {pod.name}: {shorten(pod.unschedulable)}; lower"
            " resources.requests or add nodes",
        )
    if pod.reason == "Evicted":
        return PodProblem(
            PodReason.EVICTED,
            f"pod {pod.name} was evicted: {shorten(pod.message)}; raise its resources.requests",
        )
    for container in pod.containers:
        problem = _container_problem(pod, container)
        if problem is not None:
            return problem
    if pod.phase == "Pending" and now - pod.created > STUCK_AFTER and not pod.deleting:
        for container in pod.containers:
            # An init container that has just failed again waits for nothing yet.
            if container.restarts and container.exit_code:
                return _exits_repeatedly(pod, container)
        return PodProblem(
            PodReason.POD_NOT_STARTING,
            f"pod {pod.name} has been Pending for {int((now - pod.created).total_seconds())} s;"
            f" see: kubectl describe pod {pod.name}",
        )
    return None


def _exits_repeatedly(pod: PodView, container: ContainerView) -> PodProblem:
    return PodProblem(
        PodReason.CRASH_LOOP_BACK_OFF,
        f"container {container.name} of pod {pod.name} exits repeatedly, last exit code"
        f" {container.exit_code}; see: kubectl logs {pod.name} -c {container.name} --previous",
    )


def _container_problem(pod: PodView, container: ContainerView) -> PodProblem | None:
    where = f"container {container.name} of pod {pod.name}"
    if container.ended_reason == "OOMKilled":
        return PodProblem(
            PodReason.OOM_KILLED,
            f"{where} exceeded its memory limit; raise resources.limits.memory or lower heap",
        )
    if container.waiting_reason in _IMAGE_REASONS:
        return PodProblem(
            PodReason.IMAGE_PULL_ERROR,
            f"{where}: {container.waiting_reason}: {shorten(container.waiting_message)}; check the"
            " image's repository and tag, and imagePullSecrets",
        )
    if container.waiting_reason in _CONFIG_REASONS:
        return PodProblem(
            PodReason.CONTAINER_CONFIG_ERROR,
            f"{where}: {container.waiting_reason}: {shorten(container.waiting_message)}",
        )
    if container.waiting_reason == "CrashLoopBackOff":
        return _exits_repeatedly(pod, container)
    return None


def shorten(text: str, most: int = 400) -> str:
    """Return a message of others, cut to the length that a condition has room for."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


PATIENCE = timedelta(seconds=60)
"""How long a pod may be terminating after its grace period, and a node not ready, before it counts
as lost. A kubelet reports every 10 s; the node controller waits 40 s or more for it."""

NOTICE = timedelta(seconds=10)
"""How long a lost pod is named in a condition before it is force-deleted."""


@dataclass(frozen=True)
class LostPod:
    """A pod that is being deleted and whose node does not confirm it."""

    namespace: str
    name: str
    uid: str
    """So that a successor of the same name is spared."""
    due: datetime
    """When it should have ended."""
    message: str
    """Which node is lost, and since when."""
    is_certain: bool
    """Whether that is known of its node, which may not be read without a right."""

    def may_be_forced(self, now: datetime) -> bool:
        """Return whether its node is lost, and it has been named long enough."""
        return self.is_certain and now - self.due > PATIENCE + NOTICE


def is_overdue(pod: dict[str, Any], now: datetime) -> bool:
    """Return whether a pod should have ended long ago.

    The time of deletion is the end of the grace period, not its begin.
    """
    due = pod["metadata"].get("deletionTimestamp")
    return due is not None and now - datetime.fromisoformat(due) > PATIENCE


def find_lost_pod(
    pod: dict[str, Any], node: dict[str, Any] | None, now: datetime, *, may_read: bool
) -> LostPod | None:
    """Return a pod, which is overdue, if its node is gone or has not been ready for long.

    `node` is `None` if the cluster has none of the name that the pod was bound to, or it may not be
    read: a minute after it was to be killed, hardly anything of a pod runs on whatever node.
    """
    why = _why_lost(node, now) if may_read else "may not be read (rbac.nodes)"
    if why is None:
        return None
    metadata, name = pod["metadata"], pod["spec"]["nodeName"]
    due = datetime.fromisoformat(metadata["deletionTimestamp"])
    what = "it is force-deleted" if may_read else "repair the node, or delete its Node object"
    message = f"pod {metadata['name']} cannot end, its node {name} {why}; {what}"
    return LostPod(metadata["namespace"], metadata["name"], metadata["uid"], due, message, may_read)


def _why_lost(node: dict[str, Any] | None, now: datetime) -> str | None:
    if node is None:
        return "is gone"
    for condition in (node.get("status") or {}).get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] != "True":
            since = condition["lastTransitionTime"]
            if now - datetime.fromisoformat(since) > PATIENCE:
                return f"has not been ready since {since}"
    return None


FAILED_CREATE = "FailedCreate"
"""Reason of the events of the controllers of Jobs, StatefulSets and ReplicaSets."""

_NEVER = datetime.min.replace(tzinfo=UTC)


def find_creation_problem(
    owner: dict[str, Any], pods: Iterable[PodView], events: Iterable[dict[str, Any]]
) -> PodProblem | None:
    """Return why the pods of an owner are not created, if the API server refuses them.

    Some pods of the owner are missing. Events that are older than its newest pod speak of a refusal
    that is over, those of another uid of an earlier owner of this name.
    """
    newest = max((pod.created for pod in pods), default=_NEVER)
    current = events_of(events, owner["metadata"]["uid"], newest)
    # Deployments and ReplicaSets say it in a condition as well, which outlives the event.
    conditions = (owner.get("status") or {}).get("conditions") or []
    refused = [x for x in conditions if x["type"] == "ReplicaFailure" and x["status"] == "True"]
    latest = max(current, key=event_time) if current else next(iter(refused), {})
    message = latest.get("message", "")
    if not message:
        return None
    return PodProblem(
        PodReason.FAILED_CREATE,
        f"pods of {owner['kind']} {owner['metadata']['name']} are refused: {shorten(message)};"
        " change the quota, Pod Security level, policy or webhook that the message names",
    )


def events_of(
    events: Iterable[dict[str, Any]], uid: str | None, since: datetime | None
) -> list[dict[str, Any]]:
    """Return the events of the object of a uid since a time; others may have had its name."""
    return [
        event
        for event in events
        if uid in (None, (event.get("involvedObject") or {}).get("uid"))
        and (since is None or event_time(event) >= since)
    ]


def event_time(event: dict[str, Any]) -> datetime:
    """Return when an event was last seen; `series` is how newer clients count repetitions."""
    last = (event.get("series") or {}).get("lastObservedTime")
    text = last or event.get("lastTimestamp") or event.get("eventTime")
    text = text or event["metadata"].get("creationTimestamp")
    return datetime.fromisoformat(text) if text else _NEVER


def add_pod_events(document: StepRunResult, pods: Iterable[PodView]) -> StepRunResult:
    """Return the document with the events of `pods` in its time added.

    The kubelet reports the end of a container some seconds later, so events may be added after the
    document was stored. A document without new events is returned as it is.
    """
    known = {pod.pod: pod for pod in document.pods or ()}
    is_new = document.pods is None
    for pod in pods:
        record = _record(pod, document.start_time, document.end_time)
        before = known[pod.name].troubles if pod.name in known else []
        added = [trouble for trouble in record.troubles if trouble not in before]
        is_new = is_new or bool(added)
        # What was seen before stays: the pod may have been replaced by one without a past.
        known[pod.name] = record.model_copy(update={"troubles": [*before, *added]})
    if not is_new:
        return document
    return document.model_copy(update={"pods": [known[name] for name in sorted(known)]})


def has_new_events(pods: Iterable[PodView], since: datetime) -> bool:
    """Return whether something happened to one of `pods`, or one was made, after `since`."""
    return any(
        pod.created > since
        or any(each.ended and each.ended > since for each in filter(_is_problem, pod.containers))
        for pod in pods
    )


def _record(pod: PodView, start: datetime, end: datetime) -> PodRecord:
    problems = [
        PodEvent(
            kind="OOMKilled" if container.ended_reason == "OOMKilled" else "Restarted",
            container=container.name,
            time=container.ended,
        )
        for container in filter(_is_problem, pod.containers)
        if container.ended is not None and start <= container.ended <= end
    ]
    if start < pod.created <= end:
        problems.append(PodEvent(kind="Replaced", time=pod.created))
    restarts = sum(container.restarts for container in pod.containers)
    return PodRecord(pod=pod.name, component=pod.component, restarts=restarts, troubles=problems)


def _is_problem(container: ContainerView) -> bool:
    """Return whether a container ended unexpectedly, not because its work was done.

    Our agent is left out, as in the identity of a pod: it changes nothing of what is measured.
    """
    return container.name != AGENT and (container.restarts > 0 or container.exit_code != 0)
