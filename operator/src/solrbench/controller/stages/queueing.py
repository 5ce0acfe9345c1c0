"""The turn of a benchmark: it waits until those before it are over."""

import threading

from pydantic import ValidationError

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import BENCHMARKS
from solrbench.controller.context import ReconcileContext
from solrbench.controller.status_writer import store_status
from solrbench.decide.conditions import SUCCEEDED
from solrbench.decide.queue import blocking_benchmarks
from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason

_queue_lock = threading.Lock()
"""Only one reconcile at a time looks at the queue and takes the place (there is one operator)."""


def acquire_slot(context: ReconcileContext) -> None:
    """Take a place among the running benchmarks, and note that in the stored status at once.

    Raises:
        TemporaryError: while others come first.

    """
    if context.status.start_time is not None:
        return
    with _queue_lock:
        before = blocking_benchmarks(
            context.benchmark, _all_benchmarks(context), context.settings.concurrency
        )
        if before:
            context.set_phase("Queued")
            raise TemporaryError(
                LifecycleReason.QUEUED, f"waits for {', '.join(before[:5])} to end"
            )
        context.update(start_time=context.now)
        context.set_phase("Provisioning")
        context.conditions.set(SUCCEEDED, "Unknown", LifecycleReason.RUNNING, "")
        context.finalize_status()
        store_status(context)


def _all_benchmarks(context: ReconcileContext) -> list[SolrBenchmark]:
    namespaces: tuple[str | None, ...] = context.settings.namespaces or (None,)
    found = []
    for namespace in namespaces:
        for body in context.cluster.list(*BENCHMARKS, namespace, {}):
            try:
                found.append(SolrBenchmark.parse(body))
            except ValidationError:
                continue  # its own reconcile shows what is wrong with it
    return found
