"""Where a step run is on one worker."""

from enum import Enum, auto


class StepRunState(Enum):
    """The states of a step run, in the order in which it goes through them; it may skip some.

    ```
    WAITING ──┬─► RAMPING ──┬─► MEASURING ──► STOPPING ──► FINISHED
              └─────────────┘        any of these ──► ABORTED
    ```
    """

    WAITING = auto()
    """Users connect and send nothing, until those of all workers are there."""
    RAMPING = auto()
    """Users send; what they send is not measured yet."""
    MEASURING = auto()
    """What users send is measured."""
    STOPPING = auto()
    """No request starts any more; those in flight are finished."""
    FINISHED = auto()
    """Everything is counted."""
    ABORTED = auto()
    """Dropped without a result."""

    @property
    def is_over(self) -> bool:
        """Say whether nothing is sent or counted any more."""
        return self is StepRunState.FINISHED or self is StepRunState.ABORTED
