"""A stored resource that breaks the schema, as an older CRD may have let through."""

from datetime import datetime
from typing import Any

from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.cluster.client import Cluster
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED, Conditions
from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason


def mark_invalid(
    cluster: Cluster, body: dict[str, Any], error: ValidationError, now: datetime
) -> None:
    """Write into the status what is wrong with the spec; nothing is made.

    Args:
        cluster: where the resource is
        body: the resource as it was read
        error: what is wrong with it
        now: the time of the transition

    Raises:
        TemporaryError: if all that is wrong are fields this operator does not know. The API server
            knows them, so it has a newer definition: an upgrade is under way, which must not end
            what runs. It gives every stored benchmark the defaults of new fields at once.

    """
    if all(item["type"] == "extra_forbidden" for item in error.errors()):
        raise TemporaryError(
            LifecycleReason.DEFINITION_NEWER,
            "the CRD is newer than this operator, upgrade the operator:"
            f" {'; '.join(problems(error))}",
        )
    generation = body["metadata"].get("generation", 1)
    stored = body.get("status") or {}
    if stored.get("observedGeneration") == generation and _has_failed(stored):
        return
    conditions = Conditions([], now, generation)
    for type_ in (ACCEPTED, SUCCEEDED):
        conditions.set(type_, "False", LifecycleReason.INVALID_SPEC, "; ".join(problems(error)))
    status = {
        "phase": "Failed",
        "observedGeneration": generation,
        "conditions": [
            each.model_dump(mode="json", by_alias=True) for each in conditions.as_list()
        ],
    }
    cluster.replace_status(body | {"status": status})


def _has_failed(status: dict[str, Any]) -> bool:
    return any(
        each["type"] == SUCCEEDED and each["status"] == "False"
        for each in status.get("conditions") or []
    )
