"""What all reasons have in common."""

from enum import StrEnum
from typing import Self


class Kind(StrEnum):
    """What a reason means for the benchmark."""

    DONE = "done"
    """A stage ended as it should."""
    WAITING = "waiting"
    """Normal in the course of a benchmark; it passes without intervention."""
    WARNING = "warning"
    """Something is in the way. The operator tries again, up to the stage's deadline or
    `spec.backoffLimit`; it becomes a Warning event."""
    PERMANENT = "permanent"
    """Another attempt cannot succeed: the benchmark fails."""


class Reason(StrEnum):
    """A reason of a condition; equal to the CamelCase word that the status shows.

    Attributes:
        kind: what it means for the benchmark
        meaning: what was observed, as a sentence
        remedy: what to do, as a sentence
    """

    kind: Kind
    meaning: str
    remedy: str

    def __new__(cls, value: str, kind: Kind, meaning: str, remedy: str) -> Self:
        """Return a member whose value is the word alone."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.kind = kind
        member.meaning = meaning
        member.remedy = remedy
        return member
