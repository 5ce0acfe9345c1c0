"""Solr's caches from its metrics, over all cores of a collection."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

CACHES = ("filterCache", "queryResultCache", "documentCache")

COLLECTION = "CORE.collection"
_PREFIX = "CACHE.searcher."
_SIZE = re.compile(r"^solr_core_indexsearcher_cache_size\{([^}]*)\} ([0-9.eE+]+)", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
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
        found = [engine[_PREFIX + cache] for engine in cores if _PREFIX + cache in engine]
        if found and all(LOOKUPS in each and HITS in each for each in found):
            counts[cache] = (
                sum(int(each[LOOKUPS]) for each in found),
                sum(int(each[HITS]) for each in found),
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
    for labels, value in _SIZE.findall(text):
        found = dict(_LABEL.findall(labels))
        if found.get("collection") == collection and found.get("name") in CACHES:
            cores.add(found.get("core"))
            entries += int(float(value))
    return CacheEntries(len(cores), entries)


def _cores(response: Mapping[str, Any], collection: str) -> list[dict[str, Any]]:
    """Return the metrics of each core of a collection."""
    return [
        engine
        for node in response.values()
        if isinstance(node, dict)
        for engine in node.get("metrics", {}).values()
        if isinstance(engine, dict) and engine.get(COLLECTION) == collection
    ]
