"""The HTTP client of what is sampled all the time while a step run is measured."""

import logging
from collections.abc import Callable, Mapping

import httpx

from solrbench.http_auth import HttpAuth


class MetricsClient:
    """Reads `path` of nodes; `access` is called before the first request."""

    def __init__(
        self,
        access: Callable[[], HttpAuth],
        timeout_seconds: float,
        path: str = "/admin/metrics",
    ) -> None:
        self._path = path
        self._access = access
        self._timeout_seconds = timeout_seconds
        self._http: httpx.Client | None = None

    def get(self, url: str, parameters: Mapping[str, str | list[str]]) -> httpx.Response:
        """Return the response of the node with a base URL, whatever its status.

        Raises:
            httpx.HTTPError: if there is none.

        """
        if self._http is None:
            # It would write a line for every request.
            logging.getLogger("httpx").setLevel(logging.WARNING)
            self._http = self._access().open_client(self._timeout_seconds)
        return self._http.get(f"{url}{self._path}", params=dict(parameters))
