"""Why an export ends, and whether another try can help."""

from solrbench.errors import SolrbenchError
from solrbench.reasons.kinds import Reason


class ExportError(SolrbenchError):
    """The export cannot go on.

    Attributes:
        reason: what went wrong, as a word
        permanent: no retry can cure it

    """

    def __init__(self, reason: Reason, message: str, *, permanent: bool) -> None:
        """Keep `message`, a sentence that names the place and the remedy."""
        super().__init__(reason, message)
        self.permanent = permanent
