"""Outcomes of checks as the errors that end a stage."""

from solrbench.decide.outcome import Action, Outcome
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError


class TargetLostError(SolrbenchError):
    """A node of the target was lost, and its data with it: everything starts again."""


class LoadLostError(SolrbenchError):
    """A pod of the load was lost: the steps that are not stored are measured again."""


_ERRORS: dict[Action, type[SolrbenchError]] = {
    Action.WAIT: TemporaryError,
    Action.FAIL: PermanentError,
    Action.RESTART_TARGET: TargetLostError,
    Action.RESTART_LOAD: LoadLostError,
}


def apply_outcome(outcome: Outcome | None) -> None:
    """End the stage if a check had an objection.

    Raises:
        TemporaryError: to wait.
        PermanentError: to end the benchmark.
        TargetLostError: to begin a new attempt of target and load.
        LoadLostError: to begin a new attempt of the load.
    """
    if outcome is not None:
        raise _ERRORS[outcome.action](outcome.reason, outcome.message)
