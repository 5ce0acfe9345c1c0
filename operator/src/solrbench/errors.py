"""The one tree of errors, with two roots.

SolrbenchError
├── NotYet       what was asked for may work later: wait, look again, give up at the deadline
│   └── Conflict     somebody else wrote first; the next pass sees what
└── Never        no retry can help: the benchmark fails with this reason
"""


class SolrbenchError(Exception):
    """Anything that stands in the way of a benchmark.

    Attributes:
        reason: CamelCase word that becomes a condition's reason
        message: sentence that names the thing and the remedy

    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message


class NotYet(SolrbenchError):  # noqa: N818 - reads as what it means
    """Not possible now; the next pass may succeed."""


class Conflict(NotYet):
    """An object was changed between reading and writing it."""


class Never(SolrbenchError):  # noqa: N818
    """Not possible at all with this spec and these data."""
