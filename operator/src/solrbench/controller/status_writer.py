"""The one place that writes the status of a benchmark."""

from solrbench.controller.context import ReconcileContext
from solrbench.decide.status.fallback import reduce_status
from solrbench.errors import PermanentError


def store_status(context: ReconcileContext) -> None:
    """Write the status of the reconcile so far, which is settled.

    Raises:
        ConflictError: if the benchmark changed meanwhile; the next reconcile starts from what is
            stored.
        PermanentError: if it is too large or invalid.

    """
    status = context.status.model_dump(mode="json", by_alias=True, exclude_none=True)
    context.body = context.cluster.replace_status(context.body | {"status": status})
    # As it was written: an older definition has no field for the place in the queue.
    context.queue.observe(context.body | {"status": status}, context.now)


def store_or_reduce_status(context: ReconcileContext) -> None:
    """Write the status; one that is too large or invalid is reduced to what can be stored.

    Raises:
        ConflictError: as `store_status`.
        PermanentError: if not even that is accepted.

    """
    try:
        store_status(context)
    except PermanentError as error:
        stored = context.benchmark.status
        context.status = reduce_status(context.status, stored, error.message, context.now)
        store_status(context)
