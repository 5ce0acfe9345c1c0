"""Exceptions that nothing else met: whatever they are, the status must show them.

Those of a benchmark's stages become conditions where they happen, with the deadline of the stage
(`controller.reconcile`). This is for all else of a benchmark, and for sweeps.

Reconciles that fail as a whole: the status cannot be written, so an event reports it.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, cast

import kopf

from solrbench.api.kinds import SWEEP, ResourceKind
from solrbench.controller.schedule import RETRY, BenchmarkKey
from solrbench.decide.conditions import ACCEPTED, CLEANED_UP, SUCCEEDED, SWEEP_TYPES, Conditions
from solrbench.decide.queue import MAX_IN_A_ROW, describe_exception
from solrbench.decide.unreadable import StoredStatus, readable_conditions
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.reasons.lifecycle import LifecycleReason

log = logging.getLogger("solrbench")

Body = dict[str, Any]


def show_unexpected_error(
    cluster: Cluster, body: Body, now: datetime, work: Callable[[], timedelta | None]
) -> timedelta | None:
    """Return the pause that the work gives; an exception without a reason becomes a condition.

    Args:
        cluster: where the resource is
        body: the benchmark or sweep as it was read
        now: time of the observation
        work: reconciles it

    Raises:
        SolrbenchError: of the work, or if the status could not be written.
    """
    try:
        return work()
    except SolrbenchError:
        raise
    except Exception as error:  # whatever it is, the status must show it
        key = f"{body['metadata']['namespace']}/{body['metadata']['name']}"
        log.exception("%s: unexpected exception", key, exc_info=error)
        _show(cluster, body, describe_exception(error), now)
        return RETRY


def _show(cluster: Cluster, body: Body, message: str, now: datetime) -> None:
    """Write the condition into the newest status, as the work may have written one."""
    metadata = body["metadata"]
    key = body["apiVersion"], body["kind"], metadata["namespace"], metadata["name"]
    stored = cluster.get(*key)
    if stored is None or stored["metadata"]["uid"] != metadata["uid"]:
        return
    is_sweep = body["kind"] == SWEEP.name
    status = _of_sweep(stored, message, now) if is_sweep else _of_benchmark(stored, message, now)
    if status != stored.get("status"):
        cluster.replace_status(stored | {"status": status})


def _of_sweep(stored: Body, message: str, now: datetime) -> Body:
    """Return the status of a sweep that is tried again; its benchmarks go on meanwhile."""
    before = stored.get("status") or {}
    stored_conditions = readable_conditions(before.get("conditions") or [])
    generation = stored["metadata"].get("generation", 1)
    conditions = Conditions(stored_conditions, now, generation, SWEEP_TYPES)
    over = conditions.get(SUCCEEDED).status != "Unknown"
    type_ = ACCEPTED if over else SUCCEEDED  # what it ended with stays
    truth = conditions.get(type_).status
    conditions.set(type_, truth, LifecycleReason.INTERNAL_ERROR, message)
    raw = [
        condition.model_dump(mode="json", by_alias=True, exclude_none=True)
        for condition in conditions.as_list()
    ]
    return before | {"conditions": raw}


def _of_benchmark(stored: Body, message: str, now: datetime) -> Body:
    """Return the status of a benchmark, which ends after too many exceptions in a row.

    One that is over keeps its result, and gives up its place in the queue (`decide.scheduling`).
    """
    status = StoredStatus.of(stored, now)
    errors = min(status.before.get("internalErrors", 0) + 1, MAX_IN_A_ROW)
    status.body["internalErrors"] = errors
    is_last = errors >= MAX_IN_A_ROW
    reason = LifecycleReason.INTERNAL_ERROR
    if not status.is_finished:
        status.set(SUCCEEDED, "False" if is_last else "Unknown", reason, message)
        if is_last:
            status.end("Failed")
            status.body["internalErrors"] = 0  # clean-up begins to count anew
    elif not status.conditions.is_true(CLEANED_UP):
        status.set(CLEANED_UP, "False", reason, message)
    return status.body


MAX_PAUSE = timedelta(minutes=1)
"""Between two attempts: a webhook that is away for long is not asked every two seconds."""


class ReconcileFailures:
    """Counts the failures in a row of each resource; safe for threads.

    Args:
        kind: of the resources
        first_pause: after the first failure; it doubles with each further one
    """

    def __init__(self, kind: ResourceKind, first_pause: timedelta) -> None:
        self._kind = kind
        self._first = first_pause
        self._lock = threading.Lock()
        self._rows: dict[str, tuple[int, str]] = {}

    def note(self, key: BenchmarkKey, error: SolrbenchError) -> timedelta:
        """Return the pause after a failure; an event reports the first one with its reason."""
        with self._lock:
            count, shown = self._rows.get(key.uid, (0, ""))
            self._rows[key.uid] = count + 1, error.reason
        if shown != error.reason:
            self._record_event(key, error)
        return min(self._first * (1 << min(count, 16)), max(MAX_PAUSE, self._first))

    def clear(self, uid: str) -> None:
        """Forget the failures of a resource: it was reconciled, or is gone."""
        with self._lock:
            self._rows.pop(uid, None)

    def _record_event(self, key: BenchmarkKey, error: SolrbenchError) -> None:
        metadata = {"namespace": key.namespace, "name": key.name, "uid": key.uid}
        body = {
            "apiVersion": self._kind.api_version,
            "kind": self._kind.name,
            "metadata": metadata,
        }
        text = f"the status is not up to date, the operator tries again: {error.message}"
        kopf.event(cast(kopf.Body, body), type="Warning", reason=error.reason, message=text)
