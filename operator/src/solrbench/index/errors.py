"""What Solr's response to an update request means (pure)."""

import json
from typing import Any

import httpx

from solrbench.dataset.errors import IndexingError
from solrbench.http_auth import certificate_problem
from solrbench.reasons.indexing import IndexingReason
from solrbench.reasons.lifecycle import LifecycleReason

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
