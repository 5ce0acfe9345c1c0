"""One reconcile, timed and counted, and when it is due again if it fails."""

import logging
import time
from datetime import timedelta
from typing import Protocol

from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey, Reconcile
from solrbench.errors import ConflictError, SolrbenchError
from solrbench.metrics.operator_metrics import OperatorMetrics, ReconcileResult

log = logging.getLogger("solrbench")

CONFLICT_PAUSE = timedelta(seconds=0.25)
"""Before the next attempt of a reconcile whose status could not be written: kopf adds a finalizer
and an annotation to new resources."""
UPGRADE_PAUSE = timedelta(seconds=30)
"""Of a resource that cannot be read; while the definition is newer than the operator, none can."""


class Failures(Protocol):
    """What remembers failures in a row."""

    def note(self, key: BenchmarkKey, error: SolrbenchError) -> timedelta:
        """Return the pause after a failure."""

    def clear(self, uid: str) -> None:
        """Forget the failures of a resource."""


def reconcile_timed(
    metrics: OperatorMetrics, key: BenchmarkKey, reconcile: Reconcile, failures: Failures
) -> timedelta | None:
    """Reconcile one resource and return the pause until the next time.

    What fails is repeated by the next reconcile, after the pause that `failures` gives.
    """
    with metrics.time_reconcile(time.monotonic) as timer:
        try:
            pause = reconcile(key)
        except ConflictError:
            timer.result = ReconcileResult.RETRY  # a concurrent write is expected
            return CONFLICT_PAUSE
        except SolrbenchError as error:
            timer.result = ReconcileResult.RETRY
            text = " ".join(str(error).split())  # one line, whatever others put there
            log.warning("%s/%s: reconcile is repeated: %s", key.namespace, key.name, text)
            return failures.note(key, error)
        failures.clear(key.uid)
        return pause
