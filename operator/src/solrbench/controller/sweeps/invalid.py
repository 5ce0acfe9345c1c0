"""A stored sweep that this version of the operator cannot read."""

from datetime import datetime
from typing import Any

from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.cluster.client import Cluster
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED, SWEEP_TYPES, Conditions
from solrbench.decide.unreadable import readable_conditions
from solrbench.reasons.lifecycle import LifecycleReason


def mark_sweep_invalid(
    cluster: Cluster, body: dict[str, Any], error: ValidationError, now: datetime
) -> None:
    """Write into the status what is wrong; benchmarks under way go on, and no other one begins.

    Raises:
        TemporaryError: if the API server does not respond.

    """
    status = body.get("status") or {}
    generation = body["metadata"].get("generation", 1)
    stored = readable_conditions(status.get("conditions") or [])
    conditions = Conditions(stored, now, generation, SWEEP_TYPES)
    text = "; ".join(problems(error))
    is_newer = all(item["type"] == "extra_forbidden" for item in error.errors())
    reason = LifecycleReason.DEFINITION_NEWER if is_newer else LifecycleReason.INVALID_SPEC
    conditions.set(ACCEPTED, "False", reason, text)
    conditions.set(SUCCEEDED, "Unknown", reason, text)
    raw = [
        each.model_dump(mode="json", by_alias=True, exclude_none=True)
        for each in conditions.as_list()
    ]
    if raw != status.get("conditions"):
        cluster.replace_status(body | {"status": status | {"conditions": raw}})
