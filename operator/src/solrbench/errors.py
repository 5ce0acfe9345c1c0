"""The one tree of errors.

SolrbenchError
├── TemporaryError          may work later: wait, look again, give up at the deadline
│   ├── ConflictError       another writer was first; the next reconcile reads what it wrote
│   └── DamagedReportError  a stored result is not what was stored
├── PermanentError          no retry can help: the benchmark fails with this reason
├── TargetLostError         a pod of the target was lost: target and load start again
├── LoadLostError           a pod of the load was lost: the load starts again
├── LoadError               a process of the load ends before its plan is done
├── ExportError             the export pod ends before all results are written
├── StepRunAbortedError     a load worker was lost: those that are left run the step again
└── IndexingError           an index pod ends before its part of the dataset is sent

DamagedReportError and the last six are defined where they are raised.
"""

from solrbench.reasons.kinds import Reason


class SolrbenchError(Exception):
    """Anything that stands in the way of a benchmark.

    Attributes:
        reason: that a condition gets
        message: sentence that names the thing and the remedy

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
