"""What all reasons have in common."""

from enum import StrEnum, auto
from typing import Any, Self


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

    def reason(
        self, meaning: str, remedy: str = "Nothing needs to be done.", word: str = ""
    ) -> tuple[Any, Self, str, str]:
        """Return a member of `Reason`: what was observed, and what to do, each as a sentence.

        Its word is its name in CamelCase, unless another spelling of it is given.
        """
        # Only `auto` gets to know the name of the member.
        return word or auto(), self, meaning, remedy


class Reason(StrEnum):
    """A reason of a condition; equal to the CamelCase word that the status shows."""

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

    @staticmethod
    def _generate_next_value_(name: str, *_: object) -> str:
        return name.title().replace("_", "")
