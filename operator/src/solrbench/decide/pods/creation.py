"""Pods that a controller of Kubernetes may not create: there is no pod to look at."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from solrbench.decide.pods.problems import PodProblem, shorten
from solrbench.decide.views import PodView
from solrbench.reasons.pod import PodReason

FAILED_CREATE = "FailedCreate"
"""Reason of the events of the controllers of Jobs, StatefulSets and ReplicaSets."""

_NEVER = datetime.min.replace(tzinfo=UTC)


def find_creation_problem(
    owner: dict[str, Any], pods: Iterable[PodView], events: Iterable[dict[str, Any]]
) -> PodProblem | None:
    """Return why the pods of an owner are not created, if the API server refuses them.

    Args:
        owner: a StatefulSet, Job or other owner of pods, some of which are missing
        pods: those that it has
        events: its events with the reason FailedCreate; one that is older than the newest pod
            speaks of a refusal that is over, one of another uid of an earlier owner of this name

    """
    newest = max((pod.created for pod in pods), default=_NEVER)
    current = [
        each
        for each in events
        if (each.get("involvedObject") or {}).get("uid") == owner["metadata"]["uid"]
        and event_time(each) >= newest
    ]
    message = max(current, key=event_time).get("message", "") if current else _condition(owner)
    if not message:
        return None
    return PodProblem(
        PodReason.FAILED_CREATE,
        f"pods of {owner['kind']} {owner['metadata']['name']} are refused: {shorten(message)};"
        " change the quota, Pod Security level, policy or webhook that the message names",
    )


def _condition(owner: dict[str, Any]) -> str:
    """Return the message of ReplicaFailure, a condition of Deployments and ReplicaSets."""
    conditions = (owner.get("status") or {}).get("conditions") or []
    return next(
        (
            each.get("message", "")
            for each in conditions
            if each["type"] == "ReplicaFailure" and each["status"] == "True"
        ),
        "",
    )


def event_time(event: dict[str, Any]) -> datetime:
    """Return when an event was last seen; `series` is how newer clients count repetitions."""
    last = (event.get("series") or {}).get("lastObservedTime")
    text = last or event.get("lastTimestamp") or event.get("eventTime")
    text = text or event["metadata"].get("creationTimestamp")
    return datetime.fromisoformat(text) if text else _NEVER
