"""Why an index run ends, and whether another try can help."""

from enum import StrEnum
from typing import Self

from solrbench.errors import SolrbenchError


class Reason(StrEnum):
    """Value of `IndexProgress.reason`."""

    DATASET_NOT_FOUND = "DatasetNotFound"
    DATASET_UNREACHABLE = "DatasetUnreachable"
    MALFORMED_DOCUMENT = "MalformedDocument"
    DOCUMENT_REFUSED = "DocumentRefused"
    SOLR_UNAVAILABLE = "SolrUnavailable"
    AUTHENTICATION_FAILED = "AuthenticationFailed"
    CERTIFICATE_NOT_TRUSTED = "CertificateNotTrusted"
    REDIRECT_REFUSED = "RedirectRefused"
    UNKNOWN_FORMAT = "UnknownFormat"
    EMPTY_DATASET = "EmptyDataset"
    INVALID_PLAN = "InvalidPlan"
    INTERRUPTED = "Interrupted"
    INTERNAL_ERROR = "InternalError"


class IndexingError(SolrbenchError):
    """The run cannot go on.

    Attributes:
        reason: what went wrong, as a word
        permanent: no retry can cure it

    """

    reason: Reason

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
        return cls(Reason.MALFORMED_DOCUMENT, f"{location}: {problem}; {remedy}", permanent=True)

    @classmethod
    def not_found(cls, location: str, remedy: str) -> Self:
        """Return the failure for a file that is not there."""
        return cls(Reason.DATASET_NOT_FOUND, f"{location} does not exist; {remedy}", permanent=True)
