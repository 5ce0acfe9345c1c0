"""Why a load run ends before its plan is done."""

from contextlib import suppress
from pathlib import Path

from solrbench.contract.load_plan import LoadState
from solrbench.contract.pod_plans import EXIT_PERMANENT
from solrbench.errors import SolrbenchError
from solrbench.reasons.kinds import Reason
from solrbench.reasons.registry import PERMANENT_REASONS

EXIT_RETRYABLE = 4
"""Exit code of a pod whose failure another attempt may cure: a lost worker, a lost master."""

TERMINATION_LOG = Path("/dev/termination-log")
"""Where Kubernetes reads the termination message of a container."""

MAX_MESSAGE = 1000
"""Characters of a message. Kubernetes cuts a termination message at 4096 bytes, where JSON is none
any more, and users of a locustfile raise whole responses, which no state of the master can hold."""


class LoadError(SolrbenchError):
    """The run cannot go on; its reason decides whether another attempt can succeed."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(reason, message[:MAX_MESSAGE])

    @property
    def exit_code(self) -> int:
        """Exit code by which a Job decides whether to try again."""
        return EXIT_PERMANENT if self.reason in PERMANENT_REASONS else EXIT_RETRYABLE


class StepRunAbortedError(SolrbenchError):
    """A worker was lost in a step run that cannot go on; those that are left can run it again."""


def write_termination_message(failure: LoadError, log: Path = TERMINATION_LOG) -> None:
    """Write a `LoadState` where Kubernetes looks for it; outside a container, nowhere."""
    words = LoadState(stage="Failed", reason=failure.reason.value, message=failure.message)
    # The failure itself is reported by log and exit code; the extra copy is a courtesy.
    with suppress(OSError):
        if log.exists():
            log.write_text(words.model_dump_json(by_alias=True, exclude_defaults=True))
