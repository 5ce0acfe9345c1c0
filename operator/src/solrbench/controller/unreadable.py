"""A stored resource that this version of the operator cannot read, as another may have written it.

A benchmark that has not started ends. One that has keeps its status, its pods and its place until
the deadline of its phase: an upgrade or a rollback of the operator must not end what runs.

A stored sweep that this version of the operator cannot read.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.controller.deletion import Removal, delete_children
from solrbench.controller.objects import LOAD, TARGET
from solrbench.decide.conditions import ACCEPTED, CLEANED_UP, SUCCEEDED, SWEEP_TYPES, Conditions
from solrbench.decide.unreadable import (
    StoredStatus,
    holds_collection,
    overdue_seconds,
    readable_conditions,
    wants_target_removed,
)
from solrbench.kube.client import Cluster
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason

_KEPT = (
    "the benchmark keeps its status, its pods and its place; install the operator's version that"
    " it began with, or delete it"
)


@dataclass(frozen=True)
class _UnreadableResource:
    """One that cannot be read.

    Attributes:
        cluster: where it is
        body: as it was read
        error: what is wrong with it
        now: time of the observation
    """

    cluster: Cluster
    body: dict[str, Any]
    error: ValidationError
    now: datetime

    @property
    def text(self) -> str:
        """What is wrong, with the path of each field."""
        return "; ".join(problems(self.error))

    @property
    def is_newer(self) -> bool:
        """Whether all that is wrong are fields this operator does not know.

        The API server knows them, so it has a newer definition. It gives every stored benchmark
        the defaults of new fields at once.
        """
        return all(item["type"] == "extra_forbidden" for item in self.error.errors())


def mark_invalid(
    cluster: Cluster, body: dict[str, Any], error: ValidationError, now: datetime
) -> None:
    """Write into the status what is wrong with the resource; nothing is made.

    Args:
        cluster: where the resource is
        body: the resource as it was read
        error: what is wrong with it
        now: the time of the transition

    Raises:
        TemporaryError: if the API server does not respond.
    """
    resource = _UnreadableResource(cluster, body, error, now)
    status = StoredStatus.of(body, now)
    if status.is_finished:
        _clean_up(resource, status)
    elif status.is_started:
        _hold(resource, status)
    elif resource.is_newer:
        _refuse(resource, status, LifecycleReason.DEFINITION_NEWER, "Unknown")
    else:
        _refuse(resource, status, LifecycleReason.INVALID_SPEC, "False")
    if status.is_changed:
        cluster.replace_status(body | {"status": status.body})


def _refuse(
    resource: _UnreadableResource, status: StoredStatus, reason: Reason, ended: Any
) -> None:
    """Show what is wrong with a benchmark that has not started; it ends unless it may be read."""
    remedy = "the CRD is newer than this operator, upgrade the operator: "
    text = f"{remedy if resource.is_newer else ''}{resource.text}"
    status.set(ACCEPTED, "False", reason, text)
    status.set(SUCCEEDED, ended, reason, text)
    if ended == "False":
        status.end("Failed")


def _hold(resource: _UnreadableResource, status: StoredStatus) -> None:
    late = overdue_seconds(resource.body, resource.now)
    reason = LifecycleReason.UNREADABLE
    if late is None:
        status.set(SUCCEEDED, "Unknown", reason, f"{resource.text}; {_KEPT}")
        return
    status.set(
        SUCCEEDED,
        "False",
        LifecycleReason.DEADLINE_EXCEEDED,
        f"the phase is {late:.0f} s over its limit (spec.deadlines); last seen: {reason}:"
        f" {resource.text}",
    )
    status.end("Failed")


def _clean_up(resource: _UnreadableResource, status: StoredStatus) -> None:
    """Delete the pods of a benchmark that is over, as far as that is known without its spec."""
    if status.is_cleaned_up:
        return
    metadata = resource.body["metadata"]
    removal = Removal(resource.cluster, metadata["namespace"], metadata["name"], resource.now)
    everything = wants_target_removed(resource.body, succeeded=status.has_succeeded)
    if not delete_children(removal, (*LOAD, *TARGET) if everything else LOAD):
        status.set(CLEANED_UP, "False", CleanupReason.CLEANING_UP, "pods are terminating")
    elif not everything:
        text = "spec.cleanup keeps Solr and ZooKeeper"
        status.set(CLEANED_UP, "False", CleanupReason.CLEANUP_SKIPPED, text)
    elif holds_collection(resource.body):
        text = f"the collection on target.existing is left: {resource.text}"
        status.set(CLEANED_UP, "False", CleanupReason.COLLECTION_NOT_REMOVED, text)
    else:
        text = "everything except the results is deleted"
        status.set(CLEANED_UP, "True", CleanupReason.CLEANED_UP, text)


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
        condition.model_dump(mode="json", by_alias=True, exclude_none=True)
        for condition in conditions.as_list()
    ]
    if raw != status.get("conditions"):
        cluster.replace_status(body | {"status": status | {"conditions": raw}})
