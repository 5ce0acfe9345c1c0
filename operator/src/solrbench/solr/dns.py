"""Host names resolved, so that their addresses can be checked before a connection is made."""

import socket

from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason


def resolve(host: str) -> list[str]:
    """Return every address of a host.

    Raises:
        TemporaryError: `HostNotFound` if there is none; a Service may be made a moment later.

    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TemporaryError(
            LifecycleReason.HOST_NOT_FOUND,
            f"target.existing: {host} cannot be resolved: {error}; correct the host name",
        ) from error
    return sorted({str(address[0]) for *_, address in found})
