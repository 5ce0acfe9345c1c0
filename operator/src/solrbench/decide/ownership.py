"""To which resource an object belongs, by its controller (Kubernetes, "Owners and Dependents")."""

from typing import Any


def controller_uid(body: dict[str, Any]) -> str | None:
    """Return the uid of the resource that controls an object, if one does."""
    for owner in body["metadata"].get("ownerReferences") or []:
        if owner.get("controller"):
            return str(owner["uid"])
    return None
