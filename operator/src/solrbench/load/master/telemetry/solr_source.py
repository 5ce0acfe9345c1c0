"""Solr's own metrics, of 9 by one node for all, of 10 by each node itself."""

import logging
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from urllib.parse import urlsplit

import httpx

from solrbench.http_auth import HttpAuth
from solrbench.load.master.metrics_client import MetricsClient
from solrbench.telemetry.readings import Reading
from solrbench.telemetry.solr_json import FULL_PARAMETERS, LIGHT_PARAMETERS, parse_solr_json
from solrbench.telemetry.solr_prometheus import PARAMETERS, parse_solr_prometheus

TIMEOUT_SECONDS = 5.0

_BAD_REQUEST = 400
_logger = logging.getLogger(__name__)


class SolrSource:
    """The nodes of the target; `access` is called before the first request."""

    kind = "solr"

    def __init__(
        self, urls: Sequence[str], collection: str, access: Callable[[], HttpAuth]
    ) -> None:
        self._urls = list(urls)
        self._turns = cycle(urls)
        self._url = next(self._turns)
        self._collection = collection
        self._client = MetricsClient(access, TIMEOUT_SECONDS)
        self._each_node = False
        self._refused = False
        self._problem: str | None = "Solr's metrics were not read"

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return a reading of each node, never raise."""
        if self._refused:
            return []
        try:
            found = self._read_each() if self._each_node else self._read_all(full=full)
        except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
            # Whatever a proxy says in place of Solr: it is no reason to stop measuring.
            self._problem = f"no metrics from {self._url}: {error or type(error).__name__}"
            _logger.info("%s", self._problem)
            self._url = next(self._turns)
            return []
        self._problem = None if found else f"{self._url} responds without metrics of a node"
        return found

    def missing(self) -> str | None:
        """Return why there is no reading."""
        return self._problem

    def _read_all(self, *, full: bool) -> list[Reading]:
        parameters = FULL_PARAMETERS if full else LIGHT_PARAMETERS
        response = self._client.get(self._url, parameters)
        if response.status_code == _BAD_REQUEST:
            # Solr 10 knows no JSON, and no other node's metrics.
            self._each_node = True
            return self._read_each()
        # Not allowed: so will the next response be.
        self._refused = response.is_client_error
        json = response.raise_for_status().json()
        return parse_solr_json(json, self._collection, time.monotonic())

    def _read_each(self) -> list[Reading]:
        found = []
        for url in self._urls:
            text = self._client.get(url, PARAMETERS).raise_for_status().text
            reading = parse_solr_prometheus(
                text, urlsplit(url).netloc, self._collection, time.monotonic()
            )
            if reading is not None:
                found.append(reading)
        return found
