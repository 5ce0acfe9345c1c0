"""What is wrong with a pod: a reason for programs, a sentence with the remedy for people."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.decide.views import ContainerView, PodView
from solrbench.reasons.kinds import Reason
from solrbench.reasons.pod import PodReason

STUCK_AFTER = timedelta(seconds=40)
"""A pod that is still being made after this long is a problem."""

_IMAGE_REASONS = {
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
}
_CONFIG_REASONS = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
_MAX_TEXT = 400


@dataclass(frozen=True)
class PodProblem:
    """One reason why a pod does not do its work."""

    reason: Reason
    message: str


def first_problem(pods: Iterable[PodView], now: datetime) -> PodProblem | None:
    """Return the first trouble among the pods, in the order of their names."""
    for pod in sorted(pods, key=lambda each: each.name):
        problem = pod_problem(pod, now)
        if problem is not None:
            return problem
    return None


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
        return PodProblem(
            PodReason.POD_NOT_STARTING,
            f"pod {pod.name} has been Pending for {int((now - pod.created).total_seconds())} s;"
            f" see: kubectl describe pod {pod.name}",
        )
    return None


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
        return PodProblem(
            PodReason.CRASH_LOOP_BACK_OFF,
            f"{where} exits repeatedly, last exit code {container.exit_code};"
            f" see: kubectl logs {pod.name} --previous",
        )
    return None


def shorten(text: str) -> str:
    """Return a message of others, cut to the length that a condition has room for."""
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
