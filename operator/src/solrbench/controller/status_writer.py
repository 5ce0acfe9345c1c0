"""The one place that writes the status of a benchmark."""

from solrbench.controller.context import ReconcileContext


def store_status(context: ReconcileContext) -> None:
    """Write the status of the reconcile so far, which is settled.

    Raises:
        ConflictError: if the benchmark changed meanwhile; the next reconcile starts from what is
            stored.

    """
    status = context.status.model_dump(mode="json", by_alias=True, exclude_none=True)
    context.body = context.cluster.replace_status(context.body | {"status": status})
