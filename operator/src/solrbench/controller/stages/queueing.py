"""The turn of a benchmark: it waits until those before it are over."""

from collections.abc import Sequence

from solrbench.controller.context import ReconcileContext
from solrbench.controller.scheduling.benchmark_queue import list_entries
from solrbench.controller.status_writer import store_status
from solrbench.decide.conditions import SUCCEEDED
from solrbench.decide.queue import QueueEntry, blocking_benchmarks, view_entry
from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason


def acquire_slot(context: ReconcileContext) -> None:
    """Take a place among the running benchmarks, and note that in the stored status at once.

    Those that wait look at a shared list; only the one whose turn it seems to be lists anew.

    Raises:
        TemporaryError: while others come first.

    """
    if context.status.start_time is not None:
        return
    namespaces = context.settings.namespaces
    _wait_for_turn(context, context.queue.entries(context.cluster, namespaces, context.now))
    with context.queue.slot_lock:
        _wait_for_turn(context, list_entries(context.cluster, namespaces))
        context.update(start_time=context.now)
        context.set_phase("Provisioning")
        context.conditions.set(SUCCEEDED, "Unknown", LifecycleReason.RUNNING, "")
        context.finalize_status()
        store_status(context)


def _wait_for_turn(context: ReconcileContext, everyone: Sequence[QueueEntry]) -> None:
    own = view_entry(context.body)
    before = blocking_benchmarks(own, everyone, context.settings.concurrency)
    if before:
        context.set_phase("Queued")
        raise TemporaryError(LifecycleReason.QUEUED, f"waits for {', '.join(before[:5])} to end")
