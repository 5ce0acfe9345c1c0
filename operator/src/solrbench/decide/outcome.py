"""What a check makes of an observation, and how a stage puts its checks together.

A stage observes once into a frozen value, a chain of pure checks returns the first outcome, and the
stage applies it. `None` means that a check has no objection.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.reasons.kinds import Reason

Observation = TypeVar("Observation")


class TargetLostError(SolrbenchError):
    """A node of the target was lost, and its data with it: everything starts again."""


class LoadLostError(SolrbenchError):
    """A pod of the load was lost: the steps that are not stored are measured again."""


@dataclass(frozen=True)
class Outcome:
    """Why a stage is not done, and the error that says what to do about it."""

    reason: Reason
    message: str
    """Of the condition: what happened, the measured value, the limit, the remedy."""
    error: type[SolrbenchError]

    def waiting(self) -> "Outcome":
        """Return the same outcome where it may still change."""
        return replace(self, error=TemporaryError)


Check: TypeAlias = Callable[[Observation], Outcome | None]


def wait(reason: Reason, message: str) -> Outcome:
    """Return an outcome that is looked at again."""
    return Outcome(reason, message, TemporaryError)


def fail(reason: Reason, message: str) -> Outcome:
    """Return an outcome that ends the benchmark."""
    return Outcome(reason, message, PermanentError)


def restart_target(reason: Reason, message: str) -> Outcome:
    """Return an outcome after which everything is made again."""
    return Outcome(reason, message, TargetLostError)


def restart_load(reason: Reason, message: str) -> Outcome:
    """Return an outcome after which the load runs again."""
    return Outcome(reason, message, LoadLostError)


def first_outcome(checks: Iterable[Check[Observation]], observation: Observation) -> Outcome | None:
    """Return the outcome of the first check that has one; later checks are not made."""
    return next((outcome for check in checks if (outcome := check(observation)) is not None), None)


def apply_outcome(outcome: Outcome | None) -> None:
    """End the stage if a check had an objection.

    Raises:
        TemporaryError: to wait.
        PermanentError: to end the benchmark.
        TargetLostError: to begin a new attempt of target and load.
        LoadLostError: to begin a new attempt of the load.
    """
    if outcome is not None:
        raise outcome.error(outcome.reason, outcome.message)
