"""Empties Solr's caches and reads back that they are empty.

Solr has no call for it. Caches belong to a searcher, and a commit without a change of the index
opens none; RELOAD opens one in a new core, whose caches are not filled from those of the old one.
"""

import time
from collections.abc import Callable

import httpx

from solrbench.http_auth import HttpAuth
from solrbench.load.errors import LoadError
from solrbench.load.master.caches.cache_metrics import (
    METRICS_PARAMETERS,
    CacheEntries,
    entries_in_json,
    entries_in_text,
)
from solrbench.plan.load_plan import LoadPlan
from solrbench.reasons.load import LoadReason
from solrbench.results.model.windows import EmptiedCaches

RELOAD_SECONDS = 180.0
"""As long as Solr itself waits for the cores of a collection."""

_EMPTY_SECONDS = 60.0
"""Time until all cores must report empty caches; metrics of a core that closes may come once more.
"""

_PAUSE_SECONDS = 0.5

_REMEDY = "see Solr's log, or set load.between.caches to Keep"


class CacheReset:
    """Empties the caches of the collection of a plan.

    `access` is called before the first request; `pause` waits, `now` gives monotonic seconds.
    """

    def __init__(
        self,
        plan: LoadPlan,
        access: Callable[[], HttpAuth],
        pause: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._urls = plan.solr_urls
        self._collection = plan.collection
        self._access = access
        self._pause = pause
        self._now = now

    def empty(self) -> EmptiedCaches:
        """Reload the collection and wait until all its caches are empty.

        Raises:
            LoadError: `CachesNotReloaded` if Solr does not do it, `CachesNotEmpty` if caches have
                entries afterwards, or are not reported

        """
        access, began = self._access(), self._now()
        with access.open_client(RELOAD_SECONDS) as http:
            before = self._read(http)
            self._reload(http)
            self._wait_until_empty(http, before.cores)
        return EmptiedCaches(
            entries_before=before.entries, cores=before.cores, seconds=self._now() - began
        )

    def _reload(self, http: httpx.Client) -> None:
        parameters = {"action": "RELOAD", "name": self._collection, "wt": "json"}
        try:
            response = http.get(f"{self._urls[0]}/admin/collections", params=parameters)
            body = response.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"RELOAD of {self._collection}: {error!r}; {_REMEDY}",
            ) from error
        if body.get("failure"):
            failed = ", ".join(sorted(body["failure"]))
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"RELOAD of {self._collection} failed on {failed}; {_REMEDY}",
            )

    def _wait_until_empty(self, http: httpx.Client, cores: int) -> None:
        deadline = self._now() + _EMPTY_SECONDS
        while True:
            found = self._read(http)
            if found.cores >= cores and found.entries == 0:
                return
            if self._now() >= deadline:
                raise LoadError(
                    LoadReason.CACHES_NOT_EMPTY,
                    f"{found.cores} of {cores} cores of {self._collection} report"
                    f" {found.entries} entries {_EMPTY_SECONDS:.0f} s after RELOAD, limit 0;"
                    " remove firstSearcher listeners from the config set, and other clients",
                )
            self._pause(_PAUSE_SECONDS)

    def _read(self, http: httpx.Client) -> CacheEntries:
        try:
            found = self._from_json(http) or self._from_text(http)
        except (httpx.HTTPError, ValueError, TypeError, AttributeError) as error:
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"the caches of {self._collection} could not be read: {error!r}; {_REMEDY}",
            ) from error
        if not found.cores:
            raise LoadError(
                LoadReason.CACHES_NOT_EMPTY,
                f"Solr reports no caches of {self._collection} at {self._urls[0]}/admin/metrics, so"
                " it cannot be checked that they are empty; set load.between.caches to Keep",
            )
        return found

    def _from_json(self, http: httpx.Client) -> CacheEntries | None:
        """Return what Solr 9 reports of all nodes; None from one that has another format."""
        response = http.get(f"{self._urls[0]}/admin/metrics", params=METRICS_PARAMETERS)
        if response.status_code == httpx.codes.BAD_REQUEST:
            return None
        return entries_in_json(response.raise_for_status().json(), self._collection)

    def _from_text(self, http: httpx.Client) -> CacheEntries:
        """Return what Solr 10 reports, each node of itself, in Prometheus' format."""
        texts = [
            http.get(f"{url}/admin/metrics", params={"wt": "prometheus"}).raise_for_status().text
            for url in self._urls
        ]
        return entries_in_text("\n".join(texts), self._collection)
