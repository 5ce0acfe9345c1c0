"""The one place that writes the status of a benchmark."""

from solrbench.controller.context import Run


def store_status(run: Run) -> None:
    """Write the status of the pass so far, which is settled.

    Raises:
        ConflictError: if the benchmark changed meanwhile; the next pass starts from what is stored.

    """
    status = run.status.model_dump(mode="json", by_alias=True, exclude_none=True)
    run.body = run.cluster.replace_status(run.body | {"status": status})
