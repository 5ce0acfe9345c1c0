"""The readiness gates of Solr pods: without them no pod is ever ready."""

from typing import Any

from support.solr_operator import names

Body = dict[str, Any]

MESSAGES = {
    names.NOT_STOPPED: "Pod has not yet been stopped",
    names.NOT_EVICTED: "Replicas have not yet been evicted",
}


def open_gates(pod: Body, now: str) -> list[Body]:
    """Return the conditions that a pod still needs, as of `now` (RFC 3339)."""
    known = {
        each["type"] for each in pod.get("status", {}).get("conditions") or [] if each.get("reason")
    }
    wanted = [each["conditionType"] for each in pod["spec"].get("readinessGates") or []]
    return [
        {
            "type": gate,
            "status": "True",
            "reason": "PodStarted",
            "message": MESSAGES[gate],
            "lastProbeTime": now,
            "lastTransitionTime": now,
        }
        for gate in wanted
        if gate in MESSAGES and gate not in known
    ]
