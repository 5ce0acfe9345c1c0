"""Solr's caches: emptied before a step if that is asked for, and sampled while it runs.

Solr has no call to empty them. Caches belong to a searcher, and a commit without a change of the
index opens none; RELOAD opens one in a new core, whose caches are not filled from those of the old
one. Nothing depends on the samples: where Solr does not report its caches, because a proxy stands
in between, the user lacks the permission, or a node is busy, there are none.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, NamedTuple

import gevent
import httpx2 as httpx
from gevent.event import Event

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.prometheus_text import read_samples
from solrbench.contract.windows import MAX_CACHE_SAMPLES, CacheSample, EmptiedCaches
from solrbench.load.errors import LoadError
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth
from solrbench.reasons.load import LoadReason
from solrbench.telemetry.sources import MetricsClient

CACHES = ("filterCache", "queryResultCache", "documentCache")

COLLECTION = "CORE.collection"
_PREFIX = "CACHE.searcher."
_CACHE_IN_TEXT = "solr_core_indexsearcher_cache"
"""Begin of the names of Solr 10."""

LOOKUPS, HITS = "cumulative_lookups", "cumulative_hits"
"""Since the engine was loaded; the counters without `cumulative_` restart with every searcher."""

METRICS_PARAMETERS: Mapping[str, str] = {
    "nodes": "all",
    "group": "core",
    "prefix": ",".join((*(_PREFIX + cache for cache in CACHES), COLLECTION)),
    "wt": "json",
}
"""Parameters of `/admin/metrics`: the node that gets it sends it to the others (Solr 9)."""


class CacheCounts(NamedTuple):
    """All caches at one moment."""

    cores: int
    """Cores behind the counts; with another number they cannot be compared."""
    counts: dict[str, tuple[int, int]]
    """Lookups and hits by the name of the cache; one that is turned off is missing."""
    names: frozenset[str] = frozenset()
    """Of the cores, in Solr 10: behind a proxy, each response may be of another node."""


class CacheEntries(NamedTuple):
    """The entries of all caches of a collection."""

    cores: int
    """Cores that report them."""
    entries: int


def parse_caches(response: Mapping[str, Any], collection: str) -> CacheCounts | None:
    """Return the counts of a collection; None if the response does not contain it."""
    cores = _cores(response, collection)
    counts = {}
    for cache in CACHES:
        caches = [engine[_PREFIX + cache] for engine in cores if _PREFIX + cache in engine]
        if caches and all(LOOKUPS in each and HITS in each for each in caches):
            counts[cache] = (
                sum(int(each[LOOKUPS]) for each in caches),
                sum(int(each[HITS]) for each in caches),
            )
    return CacheCounts(len(cores), counts) if counts else None


def entries_in_json(response: Mapping[str, Any], collection: str) -> CacheEntries:
    """Return the entries of a collection's caches as the metrics API of Solr 9 has them."""
    sizes = [
        [int(engine[_PREFIX + cache]["size"]) for cache in CACHES if _PREFIX + cache in engine]
        for engine in _cores(response, collection)
    ]
    return CacheEntries(sum(map(bool, sizes)), sum(map(sum, sizes)))


def entries_in_text(text: str, collection: str) -> CacheEntries:
    """Return the same as the metrics of Solr 10 have it."""
    cores, entries = set(), 0
    for labels, value in read_samples(text, f"{_CACHE_IN_TEXT}_size"):
        if labels.get("collection") == collection and labels.get("name") in CACHES:
            cores.add(labels.get("core"))
            entries += int(value)
    return CacheEntries(len(cores), entries)


def counts_in_text(text: str, collection: str) -> CacheCounts | None:
    """Return the counts of a collection as the metrics of Solr 10 have them, if they do.

    They are cumulative, too: a cache of a new searcher goes on from those of the one before.
    """
    cores, counts = set[str](), dict[str, tuple[int, int]]()
    for labels, value in read_samples(text, f"{_CACHE_IN_TEXT}_lookups_total"):
        cache = labels.get("name", "")
        if labels.get("collection") == collection and cache in CACHES:
            cores.add(labels.get("core", ""))
            lookups, hits = counts.get(cache, (0, 0))
            found = int(value)
            counts[cache] = lookups + found, hits + found * (labels.get("result") == "hit")
    return CacheCounts(len(cores), counts, frozenset(cores)) if counts else None


def _cores(response: Mapping[str, Any], collection: str) -> list[dict[str, Any]]:
    return [
        engine
        for node in response.values()
        if isinstance(node, dict)
        for engine in node.get("metrics", {}).values()
        if isinstance(engine, dict) and engine.get(COLLECTION) == collection
    ]


RELOAD_SECONDS = 180.0
"""As long as Solr itself waits for the cores of a collection."""

_EMPTY_SECONDS = 60.0
"""Time until all cores must report empty caches; metrics of a core that closes may come once more.
"""

_PAUSE_SECONDS = 0.5

_REMEDY = "see Solr's log, or set load.between.caches to Keep"


@dataclass(frozen=True, eq=False, repr=False)
class CacheReset:
    """Empties the caches of the collection of a plan.

    `access` is called before the first request; `pause` waits, `now` gives monotonic seconds.
    """

    plan: LoadPlan
    access: Callable[[], HttpAuth]
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def empty(self) -> EmptiedCaches:
        """Reload the collection and wait until all its caches are empty.

        It raises `LoadError` with `CachesNotReloaded` if Solr does not do it, `CachesNotEmpty` if
        caches have entries afterwards, or are not reported.
        """
        access, began = self.access(), self.now()
        with access.open_client(RELOAD_SECONDS) as http:
            before = self._read(http)
            self._reload(http)
            self._wait_until_empty(http, before.cores)
        return EmptiedCaches(
            entries_before=before.entries, cores=before.cores, seconds=self.now() - began
        )

    def _reload(self, http: httpx.Client) -> None:
        parameters = {"action": "RELOAD", "name": self.plan.collection, "wt": "json"}
        try:
            response = http.get(f"{self.plan.solr_urls[0]}/admin/collections", params=parameters)
            failed = response.raise_for_status().json().get("failure")
        except NO_ANSWER_ERRORS as error:
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"RELOAD of {self.plan.collection}: {error!r}; {_REMEDY}",
            ) from error
        if failed:
            nodes = ", ".join(sorted(failed))
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"RELOAD of {self.plan.collection} failed on {nodes}; {_REMEDY}",
            )

    def _wait_until_empty(self, http: httpx.Client, cores: int) -> None:
        deadline = self.now() + _EMPTY_SECONDS
        while True:
            cache_entries = self._read(http)
            # Fewer cores than before: some have not opened their searcher yet.
            if cache_entries.cores >= cores and cache_entries.entries == 0:
                return
            if self.now() >= deadline:
                raise LoadError(
                    LoadReason.CACHES_NOT_EMPTY,
                    f"{cache_entries.cores} of {cores} cores of {self.plan.collection} report"
                    f" {cache_entries.entries} entries {_EMPTY_SECONDS:.0f} s after RELOAD,"
                    " limit 0;"
                    " remove firstSearcher listeners from the config set, and other clients",
                )
            self.pause(_PAUSE_SECONDS)

    def _read(self, http: httpx.Client) -> CacheEntries:
        try:
            response = http.get(
                f"{self.plan.solr_urls[0]}/admin/metrics", params=METRICS_PARAMETERS
            )
            # Solr 9 reports of all nodes; Solr 10 refuses the format, and each node has its own.
            if response.status_code == httpx.codes.BAD_REQUEST:
                as_text = {"wt": "prometheus"}
                texts = [
                    http.get(f"{url}/admin/metrics", params=as_text).raise_for_status().text
                    for url in self.plan.solr_urls
                ]
                cache_entries = entries_in_text("\n".join(texts), self.plan.collection)
            else:
                json = response.raise_for_status().json()
                cache_entries = entries_in_json(json, self.plan.collection)
        except NO_ANSWER_ERRORS as error:
            raise LoadError(
                LoadReason.CACHES_NOT_RELOADED,
                f"the caches of {self.plan.collection} could not be read: {error!r}; {_REMEDY}",
            ) from error
        if not cache_entries.cores:
            raise LoadError(
                LoadReason.CACHES_NOT_EMPTY,
                f"Solr reports no caches of {self.plan.collection} at {self.plan.solr_urls[0]}"
                "/admin/metrics, so it cannot be checked that they are empty; set"
                " load.between.caches to Keep",
            )
        return cache_entries


_INTERVAL_SECONDS = 1.0
_TIMEOUT_SECONDS = 2.0
_MAX_FAILURES = 3
"""Failures in a row after which no more samples are taken in this step run."""

_MAX_SAMPLES = MAX_CACHE_SAMPLES // 3
"""Samples that are kept of one step run; each covers three caches."""

_DIGITS = 3

_logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class CacheSampler:
    """Sends requests to one node, which sends them to the others.

    `access` is called before the first request.
    """

    plan: LoadPlan
    access: Callable[[], HttpAuth]
    _each_node: bool = field(default=False, init=False)
    _refused: bool = field(default=False, init=False)
    _failures: int = field(default=0, init=False)
    _interval: float = field(default=_INTERVAL_SECONDS, init=False)
    _samples: list[tuple[float, CacheCounts]] = field(default_factory=list, init=False)
    _ended: Event = field(default_factory=Event, init=False)
    _greenlet: gevent.Greenlet | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._urls = cycle(self.plan.solr_urls)
        self._url = next(self._urls)
        self._client = MetricsClient(self.access, _TIMEOUT_SECONDS)

    def begin(self) -> None:
        """Sample at once, then again and again until the end."""
        self._failures = 0
        self._interval = _INTERVAL_SECONDS
        self._samples = []
        self._ended = Event()
        self._sample()
        if not self._refused:
            self._greenlet = gevent.spawn(self._go_on)

    def end(self, start_time: float) -> list[CacheSample]:
        """Sample a last time; return everything, in seconds since `start_time` (monotonic)."""
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
        if self._wanted:
            self._sample()
        return [
            CacheSample(
                second=round(moment - start_time, _DIGITS), cache=c, lookups=lookups, hits=hits
            )
            for moment, heard in self._samples
            for c, (lookups, hits) in heard.counts.items()
        ]

    @property
    def _wanted(self) -> bool:
        return not self._refused and self._failures < _MAX_FAILURES

    def _go_on(self) -> None:
        while self._wanted and not self._ended.wait(self._interval):
            self._sample()
            if len(self._samples) >= _MAX_SAMPLES:
                self._interval *= 2
                self._samples = self._samples[::2]

    def _sample(self) -> None:
        if self._refused:
            return
        before, heard = time.monotonic(), None
        try:
            heard = self._read_each() if self._each_node else self._read_all()
        except NO_ANSWER_ERRORS as error:
            # Whatever a proxy says in place of Solr: it is no reason to stop measuring.
            _logger.info("no cache metrics from %s: %r", self._url, error)
        if heard is None:
            self._failures += 1
            self._url = next(self._urls)
            return
        self._failures = 0
        # With other cores, as after a node was lost, differences between samples say nothing.
        first = self._samples[0][1] if self._samples else heard
        if (heard.cores, heard.names) == (first.cores, first.names):
            self._samples.append(((before + time.monotonic()) / 2, heard))

    def _read_all(self) -> CacheCounts | None:
        response = self._client.get(self._url, METRICS_PARAMETERS)
        # Solr 10 knows no JSON, and no other node's metrics.
        if response.status_code == httpx.codes.BAD_REQUEST:
            self._each_node = True
            return self._read_each()
        # So will the next response be; others, such as 429, may pass.
        self._refused = response.status_code in (401, 403)
        return parse_caches(response.raise_for_status().json(), self.plan.collection)

    def _read_each(self) -> CacheCounts | None:
        texts = [
            self._client.get(url, {"wt": "prometheus", "category": "CACHE"}).raise_for_status().text
            for url in self.plan.solr_urls
        ]
        return counts_in_text("\n".join(texts), self.plan.collection)
