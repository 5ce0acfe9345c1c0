"""Which benchmark may run: at most so many at a time, oldest first.

Benchmarks that run side by side disturb each other's numbers, so the default is one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from solrbench.decide.conditions import ACCEPTED, CLEANED_UP, EXPORTED, SUCCEEDED
from solrbench.reasons.end import CleanupReason

MAX_IN_A_ROW = 60
"""Exceptions that no reason describes, one reconcile after another, before a benchmark ends: two
minutes of reconciles every 2 s, as a core that loads may respond incompletely so long."""

CLEANUP_DONE_REASONS = (
    CleanupReason.CLEANED_UP,
    CleanupReason.CLEANUP_SKIPPED,
    CleanupReason.COLLECTION_NOT_REMOVED,
)
"""Reasons of `CleanedUp` with which nothing of a benchmark runs any more. A collection that is
still on an existing Solr, perhaps one that is gone for good, is no load."""


@dataclass(frozen=True)
class QueueEntry:
    """What the queue needs to know of a benchmark; to parse all of each would take too long.

    Attributes:
        running: whether it holds a place: started, and not all over or suspended
        waiting: whether it is accepted and has no place yet
        is_observed: whether its status speaks of the present spec
    """

    uid: str
    key: str
    created: datetime
    running: bool
    waiting: bool
    is_observed: bool = False
    position: int | None = None

    @property
    def rank(self) -> tuple[datetime, str]:
        """Place in the queue: older ones first."""
        return self.created, self.key


def view_entry(body: dict[str, Any]) -> QueueEntry:
    """Return the entry of a benchmark as the API server gives it."""
    metadata, status = body["metadata"], body.get("status") or {}
    created = metadata.get("creationTimestamp")
    conditions = {condition["type"]: condition for condition in status.get("conditions") or []}
    is_started = status.get("startTime") is not None
    is_finished = conditions.get(SUCCEEDED, {}).get("status") in ("True", "False")
    # Pods that are being removed may still disturb others, so clean-up belongs to a place.
    is_cleaned_up = conditions.get(CLEANED_UP, {}).get("reason") in CLEANUP_DONE_REASONS
    # An export draws figures, which takes CPU of a node; its Job has a deadline.
    is_exporting = conditions.get(EXPORTED, {}).get("status") == "Unknown"
    # Clean-up and suspension have no deadline: one that meets nothing but internal errors there
    # would hold its place for ever.
    gave_up = status.get("internalErrors", 0) >= MAX_IN_A_ROW
    return QueueEntry(
        uid=metadata.get("uid", ""),
        key=f"{metadata.get('namespace', 'default')}/{metadata['name']}",
        created=datetime.fromisoformat(created) if created else datetime.max.replace(tzinfo=UTC),
        running=(
            is_started and not gave_up and not (is_finished and is_cleaned_up and not is_exporting)
        ),
        waiting=(
            conditions.get(ACCEPTED, {}).get("status") == "True"
            and not (body.get("spec") or {}).get("suspend")
            and metadata.get("deletionTimestamp") is None
            and not is_started
            and not is_finished
        ),
        is_observed=status.get("observedGeneration") == metadata.get("generation"),
        position=(status.get("queue") or {}).get("position"),
    )


@dataclass(frozen=True)
class QueuePosition:
    """What a benchmark in the queue waits for.

    Attributes:
        before: the benchmarks that run or come first; empty when it is its turn
    """

    position: int
    before: Sequence[str]


def find_position(
    benchmark: QueueEntry, everyone: Iterable[QueueEntry], max_concurrent: int
) -> QueuePosition:
    """Return the place of a benchmark in the queue, and what it waits for.

    The benchmark itself may be among `everyone`, which are all that run or wait.
    """
    others = [entry for entry in everyone if entry.uid != benchmark.uid]
    running = sorted(entry.key for entry in others if entry.running)
    waiting = sorted(
        (entry for entry in others if entry.waiting and entry.rank < benchmark.rank),
        key=lambda entry: entry.rank,
    )
    before = running + [entry.key for entry in waiting]
    return QueuePosition(len(waiting) + 1, before if len(before) >= max_concurrent else [])
