"""Where the API server is, which nothing but this client may connect to."""

import math
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import orjson

HOSTS_SECONDS = 60.0
"""How long they are taken as known: every connection is checked."""


class ServerHosts:
    """The hosts of an API server: `own`, where a client finds it, and where it says it is.

    The second is the address behind the Service; every authenticated client may read it.
    `read_versions` returns the JSON that the API server has at `/api`.
    """

    def __init__(self, own: str | None, read_versions: Callable[[], bytes]) -> None:
        self._own = own
        self._read_versions = read_versions
        self._known: list[str] = []
        self._until = -math.inf

    def get(self) -> list[str]:
        """Return the hosts; they are read anew after `HOSTS_SECONDS`."""
        now = time.monotonic()
        if now >= self._until:
            self._known, self._until = self._read(), now + HOSTS_SECONDS
        return self._known

    def _read(self) -> list[str]:
        found = orjson.loads(self._read_versions()).get("serverAddressByClientCIDRs") or []
        hosts = [urlsplit(f"//{each['serverAddress']}").hostname for each in found]
        return [host for host in (self._own, *hosts) if host]
