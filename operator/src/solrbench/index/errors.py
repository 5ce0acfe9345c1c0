"""Why an index run ends, what is tried again, and what Solr's response to an update means.

One retry policy holds for updates, leaders and downloads; the library stamina waits between tries.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self, TypedDict, TypeVar

import httpx
import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from solrbench.errors import JobPodError
from solrbench.net.http import certificate_problem
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.lifecycle import LifecycleReason


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


_MAY_PASS = frozenset({404, 408, 409, 425, 429})
"""404: the core has moved; 409: its log is replayed; 429: a circuit breaker is open."""

_QUOTED = 600


def parse_failure(status: int, body: bytes, leader: str) -> IndexingError | None:
    """Return what is wrong with a response, or `None` when Solr has taken all documents."""
    parsed = _parsed(body)
    if status == 200 and _status(parsed) == 0:
        return None
    text = _message(parsed) or body[:_QUOTED].decode("utf-8", "replace").strip()
    if denied := refusal(status, leader):
        return denied
    if 400 <= status < 500 and status not in _MAY_PASS:
        return IndexingError(
            IndexingReason.DOCUMENT_REFUSED,
            f"{leader}: HTTP {status}: {text[:_QUOTED]}; correct the document, the schema in"
            " spec.collection.configSet, or spec.dataset.idField",
            permanent=True,
        )
    return unavailable(leader, f"HTTP {status}: {text[:_QUOTED]}")


def refusal(status: int, location: str) -> IndexingError | None:
    """Return the failure if access is denied; no retry cures it."""
    if status in (401, 403):
        return IndexingError(
            LifecycleReason.AUTHENTICATION_FAILED,
            f"{location}: HTTP {status}; target.existing.basicAuth.secret.name must name a Secret"
            " whose user is allowed to do this",
            permanent=True,
        )
    if 300 <= status < 400:
        return IndexingError(
            LifecycleReason.REDIRECT_REFUSED,
            f"{location}: HTTP {status}; redirects are not followed; set target.existing.urls to"
            " the final URL",
            permanent=True,
        )
    return None


def connection_failure(location: str, error: httpx.TransportError) -> IndexingError:
    """Return the failure for a connection that was not made or was lost."""
    if problem := certificate_problem(error):
        return IndexingError(
            LifecycleReason.CERTIFICATE_NOT_TRUSTED,
            f"{location}: {problem}; target.existing.tls.caSecret must hold the authority that"
            " signed the certificate",
            permanent=True,
        )
    return unavailable(location, str(error) or type(error).__name__)


def unavailable(location: str, problem: str) -> IndexingError:
    """Return the failure for a Solr that does not do its work now but may do so later."""
    remedy = "look at the Solr pods' logs"
    return IndexingError(
        IndexingReason.SOLR_UNAVAILABLE, f"{location}: {problem}; {remedy}", permanent=False
    )


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _status(parsed: dict[str, Any]) -> object:
    header = parsed.get("responseHeader")
    return header.get("status") if isinstance(header, dict) else None


def _message(parsed: dict[str, Any]) -> str:
    """Return Solr's own words, which name the document: `ERROR: [doc=…] unknown field …`."""
    error = parsed.get("error")
    return str(error.get("msg") or "") if isinstance(error, dict) else ""
