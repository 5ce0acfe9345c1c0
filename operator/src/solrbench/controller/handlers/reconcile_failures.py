"""Reconciles that fail as a whole: the status cannot be written, so an event reports it."""

import threading
from datetime import timedelta
from typing import cast

import kopf

from solrbench.api.kinds import ResourceKind
from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey
from solrbench.errors import SolrbenchError

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
