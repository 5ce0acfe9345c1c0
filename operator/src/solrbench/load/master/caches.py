"""Solr's caches: emptied before a step if that is asked for, and sampled while it runs.

Solr has no call to empty them. Caches belong to a searcher, and a commit without a change of the
index opens none; RELOAD opens one in a new core, whose caches are not filled from those of the old
one. Nothing depends on the samples: where Solr does not report its caches, because a proxy stands
in between, the user lacks the permission, or a node is busy, there are none.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

import gevent
import httpx2 as httpx
from gevent.event import Event

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.server_document import CACHES, SEARCH_CACHES
from solrbench.contract.windows import MAX_CACHE_SAMPLES, CacheSample, EmptiedCaches
from solrbench.load.errors import LoadError
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth
from solrbench.reasons.load import LoadReason
from solrbench.telemetry.readings import ServerReading, add_up
from solrbench.telemetry.sources import SolrSource

_STEMS = {cache: CACHES[cache] for cache in SEARCH_CACHES}


class CacheCounts(NamedTuple):
    """All caches at one moment."""

    cores: frozenset[str]
    """Cores behind the counts; those of others cannot be compared with them."""
    counts: dict[str, tuple[int, int]]
    """Lookups and hits by the name of the cache; one that is turned off is missing."""


class CacheEntries(NamedTuple):
    """The entries of all caches of a collection."""

    cores: int
    """Cores that report them."""
    entries: int


def count_lookups(readings: Iterable[ServerReading]) -> CacheCounts | None:
    """Return the lookups in the caches of all nodes; None if they report none."""
    counters, cores = _sums(readings, lambda reading: reading.counters)
    counts = {
        cache: (int(counters[f"{stem}_lookups"]), int(counters[f"{stem}_hits"]))
        for cache, stem in _STEMS.items()
        if {f"{stem}_lookups", f"{stem}_hits"} <= counters.keys()
    }
    return CacheCounts(cores, counts) if counts else None


def count_entries(readings: Iterable[ServerReading]) -> CacheEntries:
    """Return the entries of the caches of all nodes."""
    gauges, cores = _sums(readings, lambda reading: reading.gauges)
    sizes = [gauges[name] for stem in _STEMS.values() if (name := f"{stem}_entries") in gauges]
    return CacheEntries(len(cores) if sizes else 0, int(sum(sizes)))


def _sums(
    readings: Iterable[ServerReading], numbers: Callable[[ServerReading], Mapping[str, float]]
) -> tuple[dict[str, float], frozenset[str]]:
    known = list(readings)
    sums = add_up(each for reading in known for each in numbers(reading).items())
    return sums, frozenset(core for reading in known for core in reading.cores)


RELOAD_SECONDS = 180.0
"""As long as Solr itself waits for the cores of a collection."""

_EMPTY_SECONDS = 60.0
"""Time until all cores report empty caches; metrics of a core that closes may come once more."""

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
        urls, collection = self.plan.solr_urls, self.plan.collection_of_cores
        source = SolrSource(urls, collection, lambda: access, RELOAD_SECONDS, only_caches=True)
        with closing(source), access.open_client(RELOAD_SECONDS) as http:
            before = count_entries(source.read(full=True))
            self._check_reported(source, before)
            self._reload(http)
            self._wait_until_empty(source, before.cores)
        seconds = self.now() - began
        return EmptiedCaches(entries_before=before.entries, cores=before.cores, seconds=seconds)

    def _reload(self, http: httpx.Client) -> None:
        parameters = {"action": "RELOAD", "name": self.plan.collection_of_cores, "wt": "json"}
        try:
            response = http.get(f"{self.plan.solr_urls[0]}/admin/collections", params=parameters)
            failed = response.raise_for_status().json().get("failure")
        except NO_ANSWER_ERRORS as error:
            text = f"RELOAD of {self.plan.collection}: {error!r}; {_REMEDY}"
            raise LoadError(LoadReason.CACHES_NOT_RELOADED, text) from error
        if failed:
            nodes = ", ".join(sorted(failed))
            text = f"RELOAD of {self.plan.collection} failed on {nodes}; {_REMEDY}"
            raise LoadError(LoadReason.CACHES_NOT_RELOADED, text)

    def _wait_until_empty(self, source: SolrSource, cores: int) -> None:
        deadline = self.now() + _EMPTY_SECONDS
        while True:
            found = count_entries(source.read(full=True))
            # Fewer cores than before, or none: some have not opened their searcher yet.
            if found.cores >= cores and found.entries == 0:
                return
            if self.now() >= deadline:
                self._check_reported(source, found)
                raise LoadError(
                    LoadReason.CACHES_NOT_EMPTY,
                    f"{found.cores} of {cores} cores of {self.plan.collection} report"
                    f" {found.entries} entries {_EMPTY_SECONDS:.0f} s after RELOAD, limit 0;"
                    " remove firstSearcher listeners from the config set, and other clients",
                )
            self.pause(_PAUSE_SECONDS)

    def _check_reported(self, source: SolrSource, found: CacheEntries) -> None:
        if problem := source.missing():
            text = f"the caches of {self.plan.collection} could not be read: {problem}; {_REMEDY}"
            raise LoadError(LoadReason.CACHES_NOT_RELOADED, text)
        if not found.cores:
            raise LoadError(
                LoadReason.CACHES_NOT_EMPTY,
                f"Solr reports no caches of {self.plan.collection} at {self.plan.solr_urls[0]}"
                "/admin/metrics, so it cannot be checked that they are empty; set"
                " load.between.caches to Keep",
            )


_INTERVAL_SECONDS = 1.0
_TIMEOUT_SECONDS = 2.0
_MAX_FAILURES = 3
"""Failures in a row after which no more samples are taken in this step run."""

_MAX_SAMPLES = MAX_CACHE_SAMPLES // 3
"""Samples that are kept of one step run; each covers three caches."""

_DIGITS = 3


@dataclass(eq=False, repr=False)
class CacheSampler:
    """Reads the caches while a step runs; `access` is called before the first request."""

    plan: LoadPlan
    access: Callable[[], HttpAuth]
    _failures: int = field(default=0, init=False)
    _interval: float = field(default=_INTERVAL_SECONDS, init=False)
    _cores: frozenset[str] = field(default=frozenset(), init=False)
    _samples: list[tuple[float, dict[str, tuple[int, int]]]] = field(
        default_factory=list, init=False
    )
    _ended: Event = field(default_factory=Event, init=False)
    _greenlet: gevent.Greenlet | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        urls, collection = self.plan.solr_urls, self.plan.collection_of_cores
        self._source = SolrSource(urls, collection, self.access, _TIMEOUT_SECONDS, only_caches=True)

    def begin(self) -> None:
        """Sample at once, then again and again until the end."""
        self._failures = 0
        self._interval = _INTERVAL_SECONDS
        self._samples = []
        self._ended = Event()
        self._sample()
        if not self._source.is_refused:
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
            for moment, counts in self._samples
            for c, (lookups, hits) in counts.items()
        ]

    @property
    def _wanted(self) -> bool:
        return not self._source.is_refused and self._failures < _MAX_FAILURES

    def _go_on(self) -> None:
        while self._wanted and not self._ended.wait(self._interval):
            self._sample()
            if len(self._samples) >= _MAX_SAMPLES:
                self._interval *= 2
                self._samples = self._samples[::2]

    def _sample(self) -> None:
        before = time.monotonic()
        heard = count_lookups(self._source.read(full=True))
        # Without one of the nodes, the counts would be those of fewer cores.
        if heard is None or self._source.missing():
            self._failures += 1
            return
        self._failures = 0
        # With other cores, as after a node was lost, or behind one address of several nodes of
        # Solr 10, differences between samples say nothing.
        self._cores = self._cores if self._samples else heard.cores
        if heard.cores == self._cores:
            self._samples.append(((before + time.monotonic()) / 2, heard.counts))
