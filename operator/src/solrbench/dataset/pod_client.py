"""The index pods as the operator sees them: their progress."""

from typing import Self

import httpx

from solrbench.plan.index_plan import INDEX_PORT

TIMEOUT_SECONDS = 2.0


class IndexPodClient:
    """Asks index pods for their progress."""

    def __init__(self) -> None:
        self._http = httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def progress(self, host: str) -> str:
        """Return the progress of a pod as JSON, nothing while it does not answer."""
        try:
            return self._http.get(f"http://{host}:{INDEX_PORT}/progress").text
        except httpx.HTTPError:
            return ""
