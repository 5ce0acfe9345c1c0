"""Host names resolved, so that their addresses can be checked before a connection is made."""

from solrbench.errors import TemporaryError
from solrbench.net.name_lookup import LOOKUP_SECONDS, lookup
from solrbench.reasons.lifecycle import LifecycleReason


def resolve(host: str) -> list[str]:
    """Return every address of a host.

    Raises:
        TemporaryError: `HostNotFound` if there is none in time; its Service may come later.

    """
    try:
        return sorted(lookup(host, LOOKUP_SECONDS))
    except (OSError, UnicodeError) as error:
        raise TemporaryError(
            LifecycleReason.HOST_NOT_FOUND,
            f"target.existing: {host} cannot be resolved: {error}; correct the host name",
        ) from error
