"""Why an index run ends, and whether another try can help."""

from typing import Self

from solrbench.errors import JobPodError
from solrbench.reasons.indexing import IndexingReason


class IndexingError(JobPodError):
    """The run cannot go on; its message names file and position."""

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
