"""What is told of a target that comes up: its pods' troubles, its figures in the status."""

from solrbench.controller.children import pods
from solrbench.controller.context import Run
from solrbench.decide.pod_problems import find_trouble
from solrbench.errors import TemporaryError


def explain(run: Run, component: str) -> None:
    """Look for trouble with the pods of a component.

    Raises:
        TemporaryError: with the trouble as its reason, if there is one.

    """
    trouble = find_trouble(pods(run, component), run.now)
    if trouble is not None:
        raise TemporaryError(trouble.reason, trouble.message)


def update_target(run: Run, **fields: object) -> None:
    """Change fields of `status.target`."""
    run.update(target=run.status.target.model_copy(update=fields))
