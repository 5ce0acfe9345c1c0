"""Exceptions that no reason describes, and resources that cannot be read: what the status shows.

A resource that another version of the operator has written may be readable in parts; what is known
of it then is here.
"""

import copy
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from solrbench.api.v1alpha1.benchmark import Cleanup, Deadlines
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.decide.conditions import ALL_TYPES, CLEANED_UP, SUCCEEDED, Conditions, Truth
from solrbench.decide.lifecycle import wants_cleanup
from solrbench.decide.outcome import Outcome, fail, wait
from solrbench.decide.queue import CLEANUP_DONE_REASONS, MAX_IN_A_ROW
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason

DERIVED = frozenset(
    {
        *("results", "totals", "distributions", "comparisons", "comparison", "answers"),
        *("openLoop", "responseGaps", "coldStart", "verdicts", "summary", "liveLoad"),
        *("telemetry", "visibility", "bottlenecks", "trends", "answerComparisons"),
        *("objectives", "notRun", "capacity", "scalability"),
    }
)
"""Parts of the status that are computed anew from the stored results of a running benchmark."""

MAX_LINE = 300
"""Characters of an exception's message in a condition."""


def describe_exception(error: Exception) -> str:
    """Return the type of an exception and the first line of its message."""
    lines = str(error).strip().splitlines()
    name = type(error).__name__
    return f"{name}: {lines[0][:MAX_LINE]}" if lines else name


def check_internal_error(in_a_row: int, message: str) -> Outcome:
    """Wait after an exception; fail when the last one that is borne was met.

    `in_a_row` counts the reconciles that ended so, this one included.
    """
    if in_a_row < MAX_IN_A_ROW:
        return wait(LifecycleReason.INTERNAL_ERROR, message)
    return fail(
        LifecycleReason.INTERNAL_ERROR,
        f"{message}; {in_a_row} times in a row, limit {MAX_IN_A_ROW}",
    )


@dataclass
class StoredStatus:
    """A status as it is stored; all but its conditions stays as it is."""

    body: dict[str, Any]
    """The status to write."""
    conditions: Conditions
    generation: int
    now: datetime

    @classmethod
    def of(
        cls, resource: dict[str, Any], now: datetime, types: Sequence[str] = ALL_TYPES
    ) -> "StoredStatus":
        """Return that of a resource as the API server has it, with conditions of these types."""
        body = copy.deepcopy(resource.get("status") or {})
        generation = resource["metadata"].get("generation", 1)
        readable = []
        for condition in body.get("conditions") or []:
            with suppress(ValidationError):
                readable.append(Condition.model_validate(condition))
        return cls(body, Conditions(readable, now, generation, types), generation, now)

    @property
    def is_started(self) -> bool:
        """Whether the benchmark has left the queue."""
        return self.body.get("startTime") is not None

    @property
    def is_finished(self) -> bool:
        """Whether it is over, either way."""
        return self.conditions.get(SUCCEEDED).status != "Unknown"

    @property
    def is_cleaned_up(self) -> bool:
        """Whether nothing of it runs any more; one that never started made nothing."""
        return not self.is_started or self.conditions.get(CLEANED_UP).reason in CLEANUP_DONE_REASONS

    def set(self, type_: str, truth: Truth, reason: Reason, message: str) -> None:
        """Set a condition."""
        self.conditions.set(type_, truth, reason, message)
        self.body["observedGeneration"] = self.generation
        known = self.conditions.as_list()
        self.body["conditions"] = [each.model_dump(mode="json", by_alias=True) for each in known]

    def fail(self) -> None:
        """Note that it has failed now."""
        time = self.now.isoformat().replace("+00:00", "Z")
        self.body |= {"phase": "Failed", "completionTime": time}


def without_unreadable_results(
    body: dict[str, Any], error: ValidationError
) -> dict[str, Any] | None:
    """Return a running benchmark without those parts of its status that are computed anew.

    `None`, if that is not what is wrong with it, or if it is over: then nothing is computed again.
    """
    places = {item["loc"][:2] for item in error.errors()}
    if not places <= {("status", each) for each in DERIVED}:
        return None
    status = body["status"]
    if StoredStatus.of(body, datetime.min.replace(tzinfo=UTC)).is_finished:
        return None
    kept = {key: value for key, value in status.items() if key not in DERIVED}
    report = (status.get("report") or {}) | {"storedSteps": 0}  # so that all are merged again
    return body | {"status": kept | {"report": report}}


def overdue_seconds(body: dict[str, Any], now: datetime) -> float | None:
    """Return by how much the phase of a started benchmark exceeds its deadline, if it does."""
    status = body["status"]
    try:
        limits = Deadlines.model_validate((body.get("spec") or {}).get("deadlines") or {})
    except ValidationError:
        limits = Deadlines()  # of another version: the defaults are better than no end
    limit = {"Provisioning": limits.provisioning_seconds, "Indexing": limits.indexing_seconds}.get(
        status.get("phase", ""), limits.measuring_seconds
    )
    since = status.get("phaseStartTime") or status["startTime"]
    late = (now - datetime.fromisoformat(since)).total_seconds() - limit
    return late if late > 0 else None


def wants_target_removed(body: dict[str, Any], *, succeeded: bool) -> bool:
    """Return whether `spec.cleanup` wants Solr deleted; a word of another version keeps it."""
    try:
        policy = Cleanup((body.get("spec") or {}).get("cleanup", Cleanup.ALWAYS))
    except ValueError:
        return False
    return wants_cleanup(policy, succeeded=succeeded)


def holds_collection(body: dict[str, Any]) -> bool:
    """Return whether an existing target may hold a collection of the benchmark."""
    existing = ((body.get("spec") or {}).get("target") or {}).get("existing")
    target = (body.get("status") or {}).get("target") or {}
    if not existing or not target.get("nodes"):
        return False
    return bool(existing.get("collectionPolicy") != "UseExisting")
