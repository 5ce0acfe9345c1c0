"""Reconciles that fail, and resources that cannot be read: the status, or an event, shows both.

What a benchmark's stages raise becomes a condition where it happens, with the deadline of the stage
(`controller.reconcile`). This is for all else of a benchmark, and for sweeps.

A stored resource cannot be read if another version of the operator wrote it. A benchmark that has
not started ends then. One that has keeps its status, its pods and its place until the deadline of
its phase: an upgrade or a rollback of the operator must not end what runs.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.kinds import SWEEP, ResourceKind
from solrbench.api.rules import problems
from solrbench.contract.names import EXPORT, INDEX
from solrbench.controller.deletion import delete_components
from solrbench.controller.objects import LOAD, TARGET
from solrbench.controller.owned_objects import OwnedObjects
from solrbench.controller.schedule import RETRY, BenchmarkKey, Rest
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    DATA_INDEXED,
    EXPORTED,
    SUCCEEDED,
    SWEEP_TYPES,
    is_exporting,
)
from solrbench.decide.failures import (
    StoredStatus,
    describe_exception,
    holds_collection,
    overdue_seconds,
    wants_target_removed,
)
from solrbench.decide.queue import MAX_IN_A_ROW
from solrbench.errors import ConflictError, SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.metrics.operator import OperatorMetrics, ReconcileResult
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.lifecycle import LifecycleReason

log = logging.getLogger("solrbench")

Body = dict[str, Any]

CONFLICT_PAUSE = timedelta(seconds=0.25)
"""Before the next attempt of a reconcile whose resource changed meanwhile."""
MAX_PAUSE = timedelta(minutes=1)
"""Between two attempts: a webhook that is away for long is not asked every two seconds."""
UPGRADE_PAUSE = timedelta(seconds=30)
"""Of a resource that cannot be read; while the definition is newer than the operator, none can."""


@dataclass
class ReconcileAttempt:
    """One reconcile of one resource."""

    rest: Rest | None = None
    """Until the next one; `None` if the resource is gone."""
    has_raised: bool = False
    """Whether an exception without a reason was raised, of which the status is shown already."""


class ReconcileAttempts:
    """Times and counts the reconciles of one kind, and shows those that fail.

    Threads may share it, as one at a time reconciles a resource. `first_pause` is the one after the
    first failure; it doubles with each further one.
    """

    def __init__(
        self,
        kind: ResourceKind,
        cluster: Cluster,
        metrics: OperatorMetrics,
        first_pause: timedelta,
        now: Callable[[], datetime],
    ) -> None:
        self._kind = kind
        self._cluster = cluster
        self._metrics = metrics
        self._first = first_pause
        self._now = now
        self._rows: dict[str, tuple[int, str]] = {}

    @contextmanager
    def begin(self, key: BenchmarkKey) -> Iterator[ReconcileAttempt]:
        """Reconcile a resource in the block; what this raises decides the rest.

        What fails is repeated by the next reconcile. An exception without a reason becomes a
        condition, or leaves the block if even that fails.
        """
        attempt = ReconcileAttempt()
        with self._metrics.time_reconcile(time.monotonic) as timer:
            try:
                try:
                    yield attempt
                    if attempt.has_raised:
                        timer.result = ReconcileResult.ERROR
                except SolrbenchError:
                    raise
                except Exception as error:
                    timer.result = ReconcileResult.ERROR
                    text = f"{key}: unexpected exception"
                    log.exception(text, exc_info=error)
                    self._show(key, error)
                    attempt.rest = Rest(RETRY)
                self.forget(key.uid)
            except ConflictError:
                timer.result = ReconcileResult.RETRY  # a concurrent write is expected
                attempt.rest = Rest(CONFLICT_PAUSE)
            except SolrbenchError as error:
                timer.result = ReconcileResult.RETRY
                text = " ".join(str(error).split())  # one line, whatever others put there
                log.warning("%s: reconcile is repeated: %s", key, text)
                attempt.rest = Rest(self._count(key, error))

    def read(self, key: BenchmarkKey) -> Body | None:
        """Return a resource as it is stored, `None` if it is gone, or another has its name."""
        body = self._cluster.get(*self._kind.reference, key.namespace, key.name)
        return None if body is None or body["metadata"]["uid"] != key.uid else body

    def forget(self, uid: str) -> None:
        """Forget the failures of a resource: it was reconciled, or is gone."""
        self._rows.pop(uid, None)

    def _count(self, key: BenchmarkKey, error: SolrbenchError) -> timedelta:
        """Return the pause after a failure; an event reports the first one with its reason."""
        count, shown = self._rows.get(key.uid, (0, ""))
        self._rows[key.uid] = count + 1, error.reason
        if shown != error.reason:
            metadata = {"namespace": key.namespace, "name": key.name, "uid": key.uid}
            about = {"apiVersion": self._kind.api_version, "kind": self._kind.name}
            body = cast(kopf.Body, about | {"metadata": metadata})
            text = f"the status is not up to date, the operator tries again: {error.message}"
            kopf.event(body, type="Warning", reason=error.reason, message=text)
        return min(self._first * (1 << min(count, 16)), max(MAX_PAUSE, self._first))

    def _show(self, key: BenchmarkKey, error: Exception) -> None:
        """Write the condition into the newest status, as the reconcile may have written one."""
        stored = self.read(key)
        if stored is None:
            return
        message = describe_exception(error)
        if self._kind is SWEEP:
            # It is tried again without an end; its benchmarks go on meanwhile.
            status = StoredStatus.of(stored, self._now(), SWEEP_TYPES)
            type_ = ACCEPTED if status.is_finished else SUCCEEDED  # what it ended with stays
            truth = status.conditions.get(type_).status
            status.set(type_, truth, LifecycleReason.INTERNAL_ERROR, message)
        else:
            status = StoredStatus.of(stored, self._now())
            _end_after_exceptions(status, message)
        self._cluster.store_status(stored, status.body)


def _end_after_exceptions(status: StoredStatus, message: str) -> None:
    """Show an exception of a benchmark, and end it after too many in a row.

    One that is over keeps its result, and gives up its place in the queue (`decide.queue`).
    """
    errors = min(status.body.get("internalErrors", 0) + 1, MAX_IN_A_ROW)
    status.body["internalErrors"] = errors
    is_last = errors >= MAX_IN_A_ROW
    reason = LifecycleReason.INTERNAL_ERROR
    if not status.is_finished:
        status.set(SUCCEEDED, "False" if is_last else "Unknown", reason, message)
        if is_last:
            status.fail()
            status.body["internalErrors"] = 0  # clean-up begins to count anew
    elif not status.conditions.is_true(CLEANED_UP):
        status.set(CLEANED_UP, "False", reason, message)


_KEPT = (
    "the benchmark keeps its status, its pods and its place; install the operator's version that"
    " it began with, or delete it"
)


def mark_invalid(cluster: Cluster, body: Body, error: ValidationError, now: datetime) -> None:
    """Write into the status what is wrong with the resource; nothing is made."""
    status, text = StoredStatus.of(body, now), "; ".join(problems(error))
    if status.is_finished:
        _clean_up(cluster, body, status, text)
    elif status.is_started:
        late = overdue_seconds(body, now)
        if late is None:
            status.set(SUCCEEDED, "Unknown", LifecycleReason.UNREADABLE, f"{text}; {_KEPT}")
        else:
            status.set(
                SUCCEEDED,
                "False",
                LifecycleReason.DEADLINE_EXCEEDED,
                f"the phase is {late:.0f} s over its limit (spec.deadlines); last seen:"
                f" {LifecycleReason.UNREADABLE}: {text}",
            )
            status.fail()
    elif _is_newer(error):
        text = f"the CRD is newer than this operator, upgrade the operator: {text}"
        status.set(ACCEPTED, "False", LifecycleReason.DEFINITION_NEWER, text)
        status.set(SUCCEEDED, "Unknown", LifecycleReason.DEFINITION_NEWER, text)
    else:
        status.set(ACCEPTED, "False", LifecycleReason.INVALID_SPEC, text)
        status.set(SUCCEEDED, "False", LifecycleReason.INVALID_SPEC, text)
        status.fail()
    cluster.store_status(body, status.body)


def _is_newer(error: ValidationError) -> bool:
    # The API server knows the fields that are unknown here, so it has a newer definition. It gives
    # every stored resource the defaults of new fields at once, so this is no user's fault.
    return all(item["type"] == "extra_forbidden" for item in error.errors())


def _clean_up(cluster: Cluster, body: Body, status: StoredStatus, text: str) -> None:
    """Delete the pods of a benchmark that is over, as far as that is known without its spec."""
    metadata = body["metadata"]
    owners = frozenset((str(metadata["uid"]),))
    owned = OwnedObjects(cluster, metadata["namespace"], metadata["name"], owners, status.now)
    # What goes on with an export is in the spec. A version that can read it exports anew.
    if is_exporting(body) and delete_components(owned, (EXPORT,)):
        status.set(EXPORTED, "Unknown", LifecycleReason.UNREADABLE, text)
    if status.is_cleaned_up:
        return
    succeeded = status.conditions.is_true(SUCCEEDED)
    everything = wants_target_removed(body, succeeded=succeeded)
    kept = LOAD if status.conditions.is_true(DATA_INDEXED) else (*LOAD, INDEX)
    if not delete_components(owned, (*LOAD, *TARGET) if everything else kept):
        status.set(CLEANED_UP, "False", CleanupReason.CLEANING_UP, "pods are terminating")
    elif not everything:
        text = "spec.cleanup keeps Solr and ZooKeeper"
        status.set(CLEANED_UP, "False", CleanupReason.CLEANUP_SKIPPED, text)
    elif holds_collection(body):
        # Its name and address are in the spec, which cannot be read.
        text = f"the collection on target.existing is left: {text}"
        status.set(CLEANED_UP, "False", CleanupReason.COLLECTION_NOT_REMOVED, text)
    else:
        text = "everything except the results is deleted"
        status.set(CLEANED_UP, "True", CleanupReason.CLEANED_UP, text)


def mark_sweep_invalid(cluster: Cluster, body: Body, error: ValidationError, now: datetime) -> None:
    """Write into the status what is wrong; benchmarks under way go on, and no other one begins."""
    status, text = StoredStatus.of(body, now, SWEEP_TYPES), "; ".join(problems(error))
    is_newer = _is_newer(error)
    reason = LifecycleReason.DEFINITION_NEWER if is_newer else LifecycleReason.INVALID_SPEC
    # An upgrade or a rollback changes nothing of what one that is over has ended with.
    if not status.is_finished or status.body.get("observedGeneration") != status.generation:
        status.set(SUCCEEDED, "Unknown", reason, text)
    status.set(ACCEPTED, "False", reason, text)
    cluster.store_status(body, status.body)
