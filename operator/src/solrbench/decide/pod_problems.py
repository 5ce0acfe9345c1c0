"""What is wrong with a pod: a reason for programs, a sentence with the remedy for people."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.decide.views import ContainerView, PodView

STUCK_AFTER = timedelta(seconds=40)
"""A pod that is still being made after this long is worth a word."""

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

    reason: str
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
            "Unschedulable",
            f"no node can take pod {pod.name}: {_cut(pod.unschedulable)}; lower resources.requests"
            " or add nodes",
        )
    if pod.reason == "Evicted":
        return PodProblem("Evicted", f"pod {pod.name} was evicted: {_cut(pod.message)}")
    for container in pod.containers:
        problem = _container_problem(pod, container)
        if problem is not None:
            return problem
    if pod.phase == "Pending" and now - pod.created > STUCK_AFTER and not pod.deleting:
        return PodProblem(
            "PodStuck",
            f"pod {pod.name} is not started after {int((now - pod.created).total_seconds())} s;"
            f" see: kubectl describe pod {pod.name}",
        )
    return None


def _container_problem(pod: PodView, container: ContainerView) -> PodProblem | None:
    where = f"container {container.name} of pod {pod.name}"
    if container.ended_reason == "OOMKilled":
        return PodProblem(
            "OOMKilled",
            f"{where} was killed for lack of memory; raise resources.limits.memory or lower heap",
        )
    if container.waiting_reason in _IMAGE_REASONS:
        return PodProblem(
            "ImagePullError",
            f"{where}: {container.waiting_reason}: {_cut(container.waiting_message)}; check the"
            " image's repository and tag, and imagePullSecrets",
        )
    if container.waiting_reason in _CONFIG_REASONS:
        return PodProblem(
            "ContainerConfigError",
            f"{where}: {container.waiting_reason}: {_cut(container.waiting_message)}",
        )
    if container.waiting_reason == "CrashLoopBackOff":
        return PodProblem(
            "CrashLoopBackOff",
            f"{where} ends again and again, exit code {container.exit_code};"
            f" see: kubectl logs {pod.name} --previous",
        )
    return None


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
