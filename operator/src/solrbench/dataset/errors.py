"""Why an index run ends, and whether another try can help."""

from typing import Self

from solrbench.errors import SolrbenchError
from solrbench.reasons.indexing import IndexingReason
from solrbench.reasons.kinds import Reason


class IndexingError(SolrbenchError):
    """The run cannot go on.

    Attributes:
        reason: what went wrong, as a word
        permanent: no retry can cure it

    """

    def __init__(self, reason: Reason, message: str, *, permanent: bool) -> None:
        """Keep `message`, a sentence that names file, position and remedy."""
        super().__init__(reason, message)
        self.permanent = permanent

    def __str__(self) -> str:
        """Return the message alone; the reason is reported beside it."""
        return self.message

    @classmethod
    def malformed(cls, location: str, problem: object, remedy: str = "correct the file") -> Self:
        """Return the failure for data that no reader can make sense of, at `location`."""
        return cls(
            IndexingReason.MALFORMED_DOCUMENT, f"{location}: {problem}; {remedy}", permanent=True
        )

    @classmethod
    def not_found(cls, location: str, remedy: str) -> Self:
        """Return the failure for a file that is not there."""
        return cls(
            IndexingReason.DATASET_NOT_FOUND, f"{location} does not exist; {remedy}", permanent=True
        )
