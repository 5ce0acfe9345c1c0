"""Which benchmark may run: at most so many at a time, by turns of namespaces, oldest first.

Benchmarks that run side by side disturb each other's numbers, so the default is one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    SUCCEEDED,
    is_exporting,
    is_over,
    stored_condition,
)
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import PodReason

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

IDLE_REASONS = (CleanupReason.FINALIZERS_LEFT, PodReason.NODE_LOST)
"""Reasons with which a clean-up may wait for ever though nothing runs that would disturb others."""


@dataclass(frozen=True)
class QueueEntry:
    """What the queue needs to know of a benchmark; to parse all of each would take too long."""

    uid: str
    key: str
    created: datetime
    running: bool
    """Whether it holds a place: started, and not all over or suspended."""
    waiting: bool
    """Whether it is accepted and has no place yet."""
    namespace: str
    started: datetime | None
    is_observed: bool
    """Whether its status speaks of the present spec."""
    position: int | None

    @property
    def rank(self) -> tuple[datetime, str]:
        """Place among those of its namespace: older ones first."""
        return self.created, self.key


def view_entry(body: dict[str, Any]) -> QueueEntry:
    """Return the entry of a benchmark as the API server gives it."""
    metadata, status = body["metadata"], body.get("status") or {}
    created = metadata.get("creationTimestamp")
    is_started, is_finished = status.get("startTime") is not None, is_over(body)
    # Pods that are being removed may still disturb others, so clean-up belongs to a place.
    done = (*CLEANUP_DONE_REASONS, *IDLE_REASONS)
    is_cleaned_up = stored_condition(body, CLEANED_UP).get("reason") in done
    # An export draws figures, which takes CPU of a node; its Job has a deadline.
    is_done = is_finished and is_cleaned_up and not is_exporting(body)
    # Clean-up and suspension have no deadline: one that meets nothing but internal errors there
    # would hold its place for ever.
    gave_up = status.get("internalErrors", 0) >= MAX_IN_A_ROW
    # One that is resumed first removes what is left on an existing Solr, which may be gone.
    is_suspended = stored_condition(body, SUCCEEDED).get("reason") == LifecycleReason.SUSPENDED
    is_removing = is_suspended and bool((status.get("target") or {}).get("nodes"))
    return QueueEntry(
        uid=metadata.get("uid", ""),
        key=f"{metadata.get('namespace', 'default')}/{metadata['name']}",
        namespace=metadata.get("namespace", "default"),
        started=datetime.fromisoformat(status["startTime"]) if is_started else None,
        created=datetime.fromisoformat(created) if created else datetime.max.replace(tzinfo=UTC),
        running=is_started and not gave_up and not is_done,
        waiting=(
            stored_condition(body, ACCEPTED).get("status") == "True"
            and not (body.get("spec") or {}).get("suspend")
            and metadata.get("deletionTimestamp") is None
            and not is_started
            and not is_finished
            and not is_removing
        ),
        is_observed=status.get("observedGeneration") == metadata.get("generation"),
        position=(status.get("queue") or {}).get("position"),
    )


@dataclass(frozen=True)
class QueuePosition:
    """What a benchmark in the queue waits for."""

    position: int
    before: Sequence[str]
    """The benchmarks that run or come first; empty when it is its turn."""


def order_waiting(
    waiting: Iterable[QueueEntry], served: Mapping[str, datetime]
) -> list[QueueEntry]:
    """Return those that wait in the order of their turns, one of each namespace after another.

    `served` has the last start in a namespace: the one that waited longest since comes first, or a
    tenant with a hundred benchmarks would keep all others waiting.
    """
    turns: Counter[str] = Counter()
    keys: dict[str, tuple[int, datetime, tuple[datetime, str]]] = {}
    ordered = sorted(waiting, key=lambda entry: entry.rank)
    for entry in ordered:
        last = served.get(entry.namespace, datetime.min.replace(tzinfo=UTC))
        keys[entry.uid] = turns[entry.namespace], last, entry.rank
        turns[entry.namespace] += 1
    return sorted(ordered, key=lambda entry: keys[entry.uid])


def find_position(
    benchmark: QueueEntry,
    everyone: Iterable[QueueEntry],
    max_concurrent: int,
    served: Mapping[str, datetime] | None = None,
    max_per_namespace: int = 0,
) -> QueuePosition:
    """Return the place of a benchmark in the queue, and what it waits for.

    The benchmark itself may be among `everyone`, which are all that run or wait. Of a namespace
    with as many running as it may have (0: any number), those that wait keep no others waiting.
    """
    others = [entry for entry in everyone if entry.uid != benchmark.uid]
    running = sorted((entry for entry in others if entry.running), key=lambda entry: entry.key)
    waiting = [entry for entry in others if entry.waiting]
    ordered = order_waiting([*waiting, benchmark], served or {})
    earlier = ordered[: ordered.index(benchmark)]
    taken = [entry.namespace for entry in running]
    for entry in [*earlier, benchmark]:
        is_free = not max_per_namespace or taken.count(entry.namespace) < max_per_namespace
        if entry is benchmark and is_free and len(taken) < max_concurrent:
            return QueuePosition(len(earlier) + 1, [])
        taken += [entry.namespace] if is_free else []
    return QueuePosition(len(earlier) + 1, [entry.key for entry in [*running, *earlier]])
