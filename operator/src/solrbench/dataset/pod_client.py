"""The index pods as the operator sees them: their progress."""

from typing import Self

import httpx

from solrbench.net.addresses import url_host
from solrbench.net.bounded_http import create_client, fetch
from solrbench.net.deadline_transport import AddressCheck
from solrbench.plan.index_plan import INDEX_PORT

TIMEOUT_SECONDS = 2.0
MAX_BYTES = 64 << 10
"""A progress has some hundred bytes; what responds may be any pod with the labels."""


class IndexPodClient:
    """Reads the progress of index pods.

    Args:
        check: of the addresses of each connection

    """

    def __init__(self, check: AddressCheck | None = None) -> None:
        self._http = create_client(check=check)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def progress(self, host: str) -> str:
        """Return the progress of a pod as JSON, nothing while it does not respond."""
        url = f"http://{url_host(host)}:{INDEX_PORT}/progress"
        try:
            return fetch(self._http, "GET", url, max_bytes=MAX_BYTES, seconds=TIMEOUT_SECONDS).text
        except httpx.HTTPError:
            return ""
