"""Why an index run ends, what is tried again, and what Solr's response to an update means.

One retry policy holds for updates, leaders and downloads; the library stamina waits between tries.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import httpx2 as httpx
import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from solrbench.contract.foreign import ForeignDataError, decode_json
from solrbench.errors import JobPodError, format_error
from solrbench.net.http import certificate_problem
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.lifecycle import LifecycleReason


class IndexingError(JobPodError):
    """The run cannot go on; its message names file and position."""

    @classmethod
    def malformed(cls, location: str, problem: object, remedy: str = "correct the file") -> Self:
        """Return the failure for data that no reader can make sense of, at `location`."""
        message = f"{location}: {problem}; {remedy}"
        return cls(IndexingReason.MALFORMED_DOCUMENT, message, permanent=True)

    @classmethod
    def not_found(cls, location: str, remedy: str) -> Self:
        """Return the failure for a file that is not there."""
        message = f"{location} does not exist; {remedy}"
        return cls(IndexingReason.DATASET_NOT_FOUND, message, permanent=True)


Result = TypeVar("Result")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential waits, each twice as long as the one before; `retries` follow the first try."""

    retries: int = 5
    first_seconds: float = 0.5
    longest_seconds: float = 15.0
    jitter_seconds: float = 1.0
    """A random part of it is added to each wait, so that pods do not come back in step."""

    def call(self, action: Callable[[], Result]) -> Result:
        """Return what `action` returns, called again after failures that may pass.

        The error is the first one that is permanent, else the one of the last attempt.
        """
        return stamina.RetryingCaller(**self._parameters())(_may_pass, action)

    async def call_async(self, action: Callable[[], Awaitable[Result]]) -> Result:
        """Await `action` in the same way; the errors are those of `call`."""
        return await stamina.AsyncRetryingCaller(**self._parameters())(_may_pass, action)

    def _parameters(self) -> dict[str, Any]:
        return {
            "attempts": self.retries + 1,
            "timeout": None,  # by default 45 s for all attempts together
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
_CORRECT = "correct the document, the schema in spec.collection.configSet, or spec.dataset.idField"
_REMEDIES = {
    409: "remove _version_ from the documents, which another Solr gave them",
    413: "lower spec.dataset.indexing.batchSize, or raise the limit of the proxy",
}


def parse_failure(status: int, body: bytes, leader: str) -> IndexingError | None:
    """Return what is wrong with a response, or `None` when Solr has taken all documents."""
    header, error = _objects(body, "responseHeader", "error")
    # A proxy in front of Solr may respond with 200 as well, but not with Solr's status.
    is_done = status == 200 and header.get("status") == 0
    # A tolerant update chain lists the documents that it left out.
    refused = header.get("errors") if is_done else None
    if is_done and not refused:
        return None
    # Solr's own words name the document: `ERROR: [doc=…] unknown field …`.
    words = str(refused or error.get("msg") or "")
    text = words or body[:_QUOTED].decode("utf-8", "replace").strip()
    if denied := refusal(status, leader):
        return denied
    may_pass = status in _MAY_PASS and not (status == 409 and "version conflict" in text)
    if refused or (400 <= status < 500 and not may_pass):
        message = f"{leader}: HTTP {status}: {text[:_QUOTED]}; {_REMEDIES.get(status, _CORRECT)}"
        return IndexingError(IndexingReason.DOCUMENT_REFUSED, message, permanent=True)
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


def connection_failure(location: str, error: OSError | httpx.TransportError) -> IndexingError:
    """Return the failure for a connection that was not made or was lost."""
    if problem := certificate_problem(error):
        return IndexingError(
            LifecycleReason.CERTIFICATE_NOT_TRUSTED,
            f"{location}: {problem}; target.existing.tls.caSecret must hold the authority that"
            " signed the certificate",
            permanent=True,
        )
    return unavailable(location, format_error(error))


def unavailable(location: str, problem: str) -> IndexingError:
    """Return the failure for a Solr that does not do its work now but may do so later."""
    message = f"{location}: {problem}; look at the Solr pods' logs"
    return IndexingError(IndexingReason.SOLR_UNAVAILABLE, message, permanent=False)


def _objects(body: bytes, *keys: str) -> list[dict[str, Any]]:
    """Return the objects under these keys of a JSON object; an empty one for each that is none."""
    try:
        parsed = decode_json(body)
    except ForeignDataError:
        parsed = None
    values = [parsed.get(key) if isinstance(parsed, dict) else None for key in keys]
    return [value if isinstance(value, dict) else {} for value in values]
