"""The turn of a benchmark: it waits until those before it are over."""

from solrbench.api.v1alpha1.status.target import QueueStatus
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.reuse import take_over_target
from solrbench.controller.status_writer import store_status
from solrbench.decide.conditions import SUCCEEDED
from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason


def acquire_slot(context: ReconcileContext) -> None:
    """Take a place among the running benchmarks, and note that in the stored status at once.

    Raises:
        TemporaryError: while others come first.

    """
    if context.status.start_time is not None:
        return
    context.queue.verify(context.cluster, context.settings.namespaces, context.now)
    with context.queue.slot_lock:
        _wait_for_turn(context)
        take_over_target(context)
        context.update(start_time=context.now)
        context.set_phase("Provisioning")
        context.conditions.set(SUCCEEDED, "Unknown", LifecycleReason.RUNNING, "")
        context.finalize_status()
        store_status(context)


def _wait_for_turn(context: ReconcileContext) -> None:
    turn = context.queue.turn(context.body, context.settings.concurrency)
    if not turn.before:
        return
    context.set_phase("Queued")
    stored = context.benchmark.status.queue
    since = context.now if stored is None else stored.waiting_since
    context.update(queue=QueueStatus(position=turn.position, waiting_since=since))
    raise TemporaryError(LifecycleReason.QUEUED, f"waits for {', '.join(turn.before[:5])} to end")
