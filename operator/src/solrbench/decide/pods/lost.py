"""Pods that cannot end because their node is lost: no kubelet confirms their end."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

PATIENCE = timedelta(seconds=60)
"""How long a pod may be terminating after its grace period, and a node not ready, before it counts
as lost. A kubelet reports every 10 s; the node controller waits 40 s or more for it."""

NOTICE = timedelta(seconds=10)
"""How long a lost pod is named in a condition before it is force-deleted."""


@dataclass(frozen=True)
class LostPod:
    """A pod that is being deleted and whose node does not confirm it.

    Attributes:
        namespace: where it is
        name: its name
        uid: its uid, so that a successor of the same name is spared
        due: when it should have ended
        message: which node is lost, and since when

    """

    namespace: str
    name: str
    uid: str
    due: datetime
    message: str

    def may_be_forced(self, now: datetime) -> bool:
        """Return whether it has been named long enough."""
        return now - self.due > PATIENCE + NOTICE


def is_overdue(pod: dict[str, Any], now: datetime) -> bool:
    """Return whether a pod should have ended long ago.

    The time of deletion is the end of the grace period, not its begin.
    """
    due = _due(pod)
    return due is not None and now - due > PATIENCE


def _due(pod: dict[str, Any]) -> datetime | None:
    text = pod["metadata"].get("deletionTimestamp")
    return None if text is None else datetime.fromisoformat(text)


def find_lost_pod(
    pod: dict[str, Any], node: dict[str, Any] | None, now: datetime
) -> LostPod | None:
    """Return a pod that is overdue, if its node is gone or has not been ready for long.

    Args:
        pod: a pod that runs on a node, or ran there
        node: that node; `None` if the cluster has none of this name
        now: time of the observation

    """
    why = _why_lost(node, now)
    due = _due(pod)
    if due is None or now - due <= PATIENCE or why is None:
        return None
    metadata, name = pod["metadata"], pod["spec"]["nodeName"]
    message = f"pod {metadata['name']} cannot end, its node {name} {why}; it is force-deleted"
    return LostPod(metadata["namespace"], metadata["name"], metadata["uid"], due, message)


def _why_lost(node: dict[str, Any] | None, now: datetime) -> str | None:
    if node is None:
        return "is gone"
    for each in (node.get("status") or {}).get("conditions") or []:
        if each["type"] == "Ready" and each["status"] != "True":
            since = each["lastTransitionTime"]
            if now - datetime.fromisoformat(since) > PATIENCE:
                return f"has not been ready since {since}"
    return None
