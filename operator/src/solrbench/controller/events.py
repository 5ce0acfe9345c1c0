"""Kubernetes events for what users should notice, emitted after the status is stored."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast

import kopf

from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict, steps_that_are
from solrbench.decide.conditions import COMPLETE, SUCCEEDED
from solrbench.present.fact_tables import step_label
from solrbench.reasons.kinds import Kind
from solrbench.reasons.lifecycle import LifecycleReason, SweepReason
from solrbench.reasons.registry import ALL_REASONS

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """One event."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


_NO_EVENT = frozenset(each for each in ALL_REASONS if each.kind in (Kind.WAITING, Kind.DONE))
"""Reasons of conditions that are not True in the normal course of a benchmark."""


def post_events(body: dict[str, Any], key: str, events: Iterable[Event]) -> None:
    """Log events of a resource and have the API server keep them."""
    for event in events:
        log.info("%s: %s: %s", key, event.reason, " ".join(event.message.split()))
        kopf.event(
            cast(kopf.Body, body), type=event.type, reason=event.reason, message=event.message
        )


def events_between(before: Iterable[Condition], after: Iterable[Condition]) -> list[Event]:
    """Return the events for what changed from one reconcile to the next."""
    known = {each.type: each for each in before}
    return [
        event
        for condition in after
        # Complete repeats the reason of Succeeded.
        if condition.type != COMPLETE
        and (event := _event(known.get(condition.type), condition)) is not None
    ]


def verdict_events(before: Iterable[StepVerdict], after: Iterable[StepVerdict]) -> list[Event]:
    """Return a warning for each step that turned Invalid, with its first reason."""
    known = {step_label(step) for step in steps_that_are(INVALID, before)}
    return [
        Event("Warning", reason.reason, f"step {step_label(step)} is Invalid: {reason.message}")
        for step in steps_that_are(INVALID, after)
        if step_label(step) not in known
        for reason in step.reasons[:1]
    ]


def _event(before: Condition | None, after: Condition) -> Event | None:
    if before is not None and (before.status, before.reason) == (after.status, after.reason):
        return None
    if after.status == "True":
        return Event("Normal", after.reason, after.message or after.type)
    if after.reason == LifecycleReason.QUEUED:
        return Event("Normal", after.reason, after.message)
    # While it lasts, the summary only repeats what another condition says.
    is_repeated = (
        after.type == SUCCEEDED
        and after.status == "Unknown"
        and after.reason != SweepReason.POINT_NOT_CREATED
    )
    if after.reason in _NO_EVENT or is_repeated:
        return None
    return Event("Warning", after.reason, after.message)
