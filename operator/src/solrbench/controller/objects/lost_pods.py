"""Pods on lost nodes: found, named and force-deleted, so that nothing waits for them for ever."""

import logging
from collections.abc import Iterable
from datetime import datetime

from solrbench.cluster.client import Cluster, Manifest
from solrbench.decide.pods.lost import LostPod, find_lost_pod, is_overdue
from solrbench.errors import TemporaryError

log = logging.getLogger("solrbench")


def find_lost_pods(cluster: Cluster, pods: Iterable[Manifest], now: datetime) -> list[LostPod]:
    """Return the pods that are overdue and whose node is lost.

    A node is read only for a pod that is overdue. Without the right to read nodes no pod counts
    as lost.
    """
    found = (_find(cluster, pod, now) for pod in pods if is_overdue(pod, now))
    return [each for each in found if each is not None]


def _find(cluster: Cluster, pod: Manifest, now: datetime) -> LostPod | None:
    node = (pod.get("spec") or {}).get("nodeName")
    if not node:
        return None
    try:
        return find_lost_pod(pod, cluster.get("v1", "Node", "", node), now)
    except TemporaryError:
        return None


def force_delete(cluster: Cluster, pods: Iterable[LostPod]) -> None:
    """Delete pods without waiting for their kubelet, each by its uid.

    A kubelet that comes back ends the containers: the API server no longer knows their pod.
    """
    for pod in pods:
        log.warning("%s: %s", pod.namespace, pod.message)
        cluster.force_delete_pod(pod.namespace, pod.name, pod.uid)
