"""Whether the companions run, are those that were made first, and still are the same."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from solrbench.decide.outcome import Outcome, fail, wait
from solrbench.decide.pods import ObservedPods
from solrbench.decide.target import check_pods_unchanged
from solrbench.decide.views import PodView
from solrbench.reasons.target import CompanionReason, TargetReason


@dataclass(frozen=True)
class CompanionPods(ObservedPods):
    """The Deployments of the companions: by name how many pods are available, and are wanted."""

    available: Mapping[str, int]
    wanted: Mapping[str, int]


def available_pods(deployment: dict[str, Any] | None) -> int:
    """Return how many pods of a Deployment are available, of its present generation."""
    if deployment is None:
        return 0
    status = deployment.get("status") or {}
    # Until its controller has seen the change, the status speaks of the template before.
    is_seen = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    return int(status.get("availableReplicas") or 0) if is_seen else 0


def check_companions(found: CompanionPods) -> Outcome | None:
    """Wait until all pods of every Deployment are available, and no others are left."""
    missing = [
        f"{found.available.get(name, 0)} of {wanted} pods of Deployment {name}"
        for name, wanted in found.wanted.items()
        if found.available.get(name, 0) != wanted
    ]
    if missing:
        message = f"available are {', '.join(missing)}"
        return found.problem or wait(CompanionReason.COMPANION_NOT_READY, message)
    # The pods of an earlier attempt or template end later; those that stay are to be remembered.
    count = sum(found.wanted.values())
    if len(found.pods) == count and all(pod.ready and not pod.deleting for pod in found.pods):
        return None
    message = f"{len(found.pods)} pods, expected {count} that are ready"
    return wait(CompanionReason.COMPANION_NOT_READY, message)


def check_same_manifests(known: str | None, found: str) -> Outcome | None:
    """Fail if the manifests are not those that were used first."""
    if known is None or known == found:
        return None
    return fail(
        CompanionReason.COMPANIONS_CHANGED,
        f"the ConfigMaps of spec.companions were changed: SHA-256 {found[:12]}, before"
        f" {known[:12]}; create the benchmark again",
    )


def check_companions_unchanged(
    identities: Mapping[str, str], pods: Iterable[PodView], now: datetime
) -> Outcome | None:
    """Begin anew after a pod of the companions was replaced or restarted."""
    outcome = check_pods_unchanged(identities, pods, now)
    if outcome is not None and outcome.reason == TargetReason.TARGET_POD_LOST:
        return replace(outcome, reason=CompanionReason.COMPANION_LOST)
    return outcome
