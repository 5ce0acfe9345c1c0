"""Progress of a target under provisioning: problems of its pods, its figures in the status."""

from solrbench.controller.children import pods
from solrbench.controller.context import ReconcileContext
from solrbench.decide.pod_problems import first_problem
from solrbench.errors import TemporaryError


def raise_pod_problem(context: ReconcileContext, component: str) -> None:
    """Look for trouble with the pods of a component.

    Raises:
        TemporaryError: with the trouble as its reason, if there is one.

    """
    problem = first_problem(pods(context, component), context.now)
    if problem is not None:
        raise TemporaryError(problem.reason, problem.message)


def update_target(context: ReconcileContext, **fields: object) -> None:
    """Change fields of `status.target`."""
    context.update(target=context.status.target.model_copy(update=fields))
