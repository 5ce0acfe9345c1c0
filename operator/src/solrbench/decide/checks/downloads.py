"""Whether a dataset may be downloaded as the spec says; index pods check addresses as well."""

from dataclasses import dataclass

from solrbench.decide.allowed_hosts import check_name
from solrbench.decide.checks.outcome import Check, Outcome, fail
from solrbench.errors import PermanentError
from solrbench.reasons.indexing import IndexingReason

URLS_FIELD = "spec.dataset.http.urls"
HOSTS_SETTING = "datasets.allowedHosts"


@dataclass(frozen=True)
class Downloads:
    """What the spec says about downloads, and what the operator's settings allow.

    Attributes:
        hosts: of the URLs
        allowed_hosts: patterns
        secret_fields: paths of the fields that refer to Secrets
        secrets_allowed: whether there may be any

    """

    hosts: tuple[str, ...]
    allowed_hosts: tuple[str, ...]
    secret_fields: tuple[str, ...]
    secrets_allowed: bool


def check_download_hosts(found: Downloads) -> Outcome | None:
    """Fail if a host is not allowed."""
    for host in found.hosts:
        try:
            check_name(host, found.allowed_hosts, URLS_FIELD, HOSTS_SETTING)
        except PermanentError as error:
            return fail(error.reason, error.message)
    return None


def check_download_secrets(found: Downloads) -> Outcome | None:
    """Fail if Secrets are not allowed: who may create a benchmark need not be allowed to read them.

    A server that a URL names, which may be a user's own, receives what they hold.
    """
    if found.secrets_allowed or not found.secret_fields:
        return None
    return fail(
        IndexingReason.DATASET_SECRET_NOT_ALLOWED,
        f"{', '.join(found.secret_fields)}: the operator's settings allow no Secrets for downloads;"
        " set datasets.secrets of its chart to true, and datasets.allowedHosts to the servers that"
        " may get them",
    )


DOWNLOAD_CHECKS: tuple[Check[Downloads], ...] = (check_download_hosts, check_download_secrets)
