"""Why a load run ends before its plan is done."""

from contextlib import suppress
from pathlib import Path

from solrbench.contract.load_plan import LoadState
from solrbench.contract.pod_plans import EXIT_PERMANENT
from solrbench.errors import SolrbenchError
from solrbench.reasons.registry import PERMANENT_REASONS

EXIT_RETRYABLE = 4
"""Exit code of a pod whose failure another attempt may cure: a lost worker, a lost master."""

TERMINATION_LOG = Path("/dev/termination-log")
"""Where Kubernetes reads the termination message of a container."""


class LoadError(SolrbenchError):
    """The run cannot go on; its reason decides whether another attempt can succeed."""

    @property
    def exit_code(self) -> int:
        """Exit code by which a Job decides whether to try again."""
        return EXIT_PERMANENT if self.reason in PERMANENT_REASONS else EXIT_RETRYABLE


class StepRunAbortedError(SolrbenchError):
    """A worker was lost in a step run that cannot go on; those that are left can run it again."""


def write_termination_message(failure: LoadError, log: Path = TERMINATION_LOG) -> None:
    """Write a `LoadState` where Kubernetes looks for it; outside a container, nowhere."""
    # Kubernetes cuts what is longer than 4096 bytes, and cut JSON is no JSON.
    message = failure.message[:1000]
    words = LoadState(stage="Failed", reason=failure.reason.value, message=message)
    # The failure itself is reported by log and exit code; the extra copy is a courtesy.
    with suppress(OSError):
        if log.exists():
            log.write_text(words.model_dump_json(by_alias=True, exclude_defaults=True))
