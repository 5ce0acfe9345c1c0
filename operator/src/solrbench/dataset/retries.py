"""What is tried again, how often, and how long to wait before.

The one policy for updates, leaders and downloads, by the library stamina.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypedDict, TypeVar

import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from solrbench.dataset.errors import IndexingError

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


class _Parameters(TypedDict):
    attempts: int
    timeout: None
    wait_initial: float
    wait_max: float
    wait_jitter: float


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential waits with jitter, so that pods do not come back in step.

    Attributes:
        retries: further attempts after the first one
        first_seconds: shortest first wait; each further one is twice as long
        longest_seconds: longest wait
        jitter_seconds: a random part of it is added to each wait

    """

    retries: int = 5
    first_seconds: float = 0.5
    longest_seconds: float = 15.0
    jitter_seconds: float = 1.0

    def call(self, action: Callable[[], Result]) -> Result:
        """Return what `action` returns, called again after failures that may pass.

        Raises:
            IndexingError: the first one that is permanent, else the one of the last attempt

        """
        return stamina.RetryingCaller(**self._parameters())(_may_pass, action)

    async def call_async(self, action: Callable[[], Awaitable[Result]]) -> Result:
        """Await `action` in the same way.

        Raises:
            IndexingError: the first one that is permanent, else the one of the last attempt

        """
        return await stamina.AsyncRetryingCaller(**self._parameters())(_may_pass, action)

    def _parameters(self) -> _Parameters:
        return {
            "attempts": self.retries + 1,
            "timeout": None,
            "wait_initial": self.first_seconds,
            "wait_max": self.longest_seconds,
            "wait_jitter": self.jitter_seconds,
        }


def log_retries() -> None:
    """Log each retry of this process: what failed, and how long it waits."""
    set_on_retry_hooks([_log_retry])


def _log_retry(details: RetryDetails) -> None:
    _log.warning("retry %d in %.1f s: %s", details.retry_num, details.wait_for, details.caused_by)


def _may_pass(error: Exception) -> bool:
    return isinstance(error, IndexingError) and not error.permanent
