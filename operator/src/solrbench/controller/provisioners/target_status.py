"""The target's part of the status."""

from solrbench.controller.context import ReconcileContext


def update_target(context: ReconcileContext, **fields: object) -> None:
    """Change fields of `status.target`."""
    context.update(target=context.status.target.model_copy(update=fields))
