"""The one tree of errors.

SolrbenchError
├── TemporaryError          may work later: wait, look again, give up at the deadline
│   ├── ConflictError       another writer was first; the next reconcile reads what it wrote
│   └── DamagedReportError  a stored result is not what was stored
├── PermanentError          no retry can help: the benchmark fails with this reason
├── TargetLostError         a pod of the target was lost: target and load start again
├── LoadLostError           a pod of the load was lost: the load starts again
├── LoadError               a process of the load ends before its plan is done
├── StepRunAbortedError     a load worker was lost: those that are left run the step again
└── JobPodError             a pod of a Job ends before its work is done
    ├── ExportError         the export pod, before all results are written
    └── IndexingError       an index pod, before its part of the dataset is sent

Those that are not below are defined where they are raised.
"""

from solrbench.reasons.kinds import Reason


class SolrbenchError(Exception):
    """Anything that stands in the way of a benchmark, with the reason that a condition gets.

    The message is a sentence that names the thing and the remedy.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message


class TemporaryError(SolrbenchError):
    """Not possible now; the next reconcile may succeed."""


class ConflictError(TemporaryError):
    """An object was changed between reading and writing it."""


class PermanentError(SolrbenchError):
    """Not possible at all with this spec and these data."""


class JobPodError(SolrbenchError):
    """A pod of a Job cannot do its work; if `permanent`, the Job must not start it again."""

    def __init__(self, reason: Reason, message: str, *, permanent: bool) -> None:
        """Keep `message`, a sentence that names the place and the remedy."""
        super().__init__(reason, message)
        self.permanent = permanent

    def __str__(self) -> str:
        """Return the message alone; the reason is reported beside it."""
        return self.message


def format_error(error: BaseException) -> str:
    """Return what an error says, or its kind if it says nothing, as when a connection is lost."""
    return str(error) or type(error).__name__
