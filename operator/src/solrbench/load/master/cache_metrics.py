"""Solr's caches from its metrics, over all cores of a collection."""

from collections.abc import Mapping
from typing import Any, NamedTuple

CACHES = ("filterCache", "queryResultCache", "documentCache")

COLLECTION = "CORE.collection"
_PREFIX = "CACHE.searcher."
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


def parse_caches(response: Mapping[str, Any], collection: str) -> CacheCounts | None:
    """Return the counts of a collection; None if the response does not contain it."""
    cores = [
        engine
        for node in response.values()
        if isinstance(node, dict)
        for engine in node.get("metrics", {}).values()
        if isinstance(engine, dict) and engine.get(COLLECTION) == collection
    ]
    counts = {}
    for cache in CACHES:
        found = [engine[_PREFIX + cache] for engine in cores if _PREFIX + cache in engine]
        if found and all(LOOKUPS in each and HITS in each for each in found):
            counts[cache] = (
                sum(int(each[LOOKUPS]) for each in found),
                sum(int(each[HITS]) for each in found),
            )
    return CacheCounts(len(cores), counts) if counts else None
