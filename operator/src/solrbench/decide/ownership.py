"""To which resource an object belongs, by its controller (Kubernetes, "Owners and Dependents")."""

from typing import Any

from solrbench.decide.checks.outcome import Outcome, wait
from solrbench.reasons.api_server import ApiServerReason


def controller_uid(body: dict[str, Any]) -> str | None:
    """Return the uid of the resource that controls an object, if one does."""
    for owner in body["metadata"].get("ownerReferences") or []:
        if owner.get("controller"):
            return str(owner["uid"])
    return None


def check_not_taken(wanted: dict[str, Any], found: dict[str, Any] | None) -> Outcome | None:
    """Wait if an object of the same name belongs to something else; it is never taken over.

    Args:
        wanted: the object to apply; one without a controller may change any
        found: the object as it is stored

    """
    owner = controller_uid(wanted)
    if found is None or owner is None or controller_uid(found) == owner:
        return None
    metadata = wanted["metadata"]
    return wait(
        ApiServerReason.NAME_TAKEN,
        f"{wanted['kind']} {metadata['name']} in namespace {metadata['namespace']} does not belong"
        " to this benchmark and is not changed; delete it, or give the benchmark another name",
    )
