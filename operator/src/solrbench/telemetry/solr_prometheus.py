"""Solr 10's metrics as Prometheus text: `GET /admin/metrics` of every node by itself.

Names are those of the OpenTelemetry meters of Solr 10.0 and of its runtime telemetry. See "Metrics
Reporting" in the Solr Reference Guide 10, and "Semantic conventions for JVM metrics" of
OpenTelemetry.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from solrbench.contract.foreign import read_samples
from solrbench.contract.server_document import CACHES
from solrbench.telemetry.jvm import heap_after_gc
from solrbench.telemetry.kernel_files import present
from solrbench.telemetry.readings import ServerReading, add_up

PARAMETERS: Mapping[str, str] = {"wt": "prometheus"}
CACHE_PARAMETERS: Mapping[str, str] = {**PARAMETERS, "category": "CACHE"}
"""The caches alone."""

# Histograms have a line for each bucket.
_NAMES = r"(?:jvm|solr_core)_\w+(?<!_bucket)"
_HEAP = {"jvm_memory_type": "heap"}
_PAUSES = re.compile(r"(?!.*(?:Concurrent|Cycles)).*")
_MEGABYTE = 1 << 20

Labels = Mapping[str, str]
_ANY: Labels = MappingProxyType({})


class _Samples:
    """Samples of one node by name, and the names of the cores of a collection.

    JVM metrics can appear twice, once for each instrumentation: of samples with the same labels
    only one counts.
    """

    def __init__(self, text: str, collection: str) -> None:
        self._by_name: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
        self.cores = set[str]()
        for name, found, value in read_samples(text, _NAMES):
            labels = {k: v for k, v in found.items() if not k.startswith("otel_scope_")}
            if labels.get("collection") == collection and "core" in labels:
                self.cores.add(labels["core"])
            same = self._by_name.setdefault(name, {})
            key = frozenset(labels.items())
            same[key] = max(value, same.get(key, value))

    def labelled(self, name: str, wanted: Labels = _ANY) -> Iterator[tuple[dict[str, str], float]]:
        """Yield labels and value of every sample of `name` that has these labels."""
        for key, value in self._by_name.get(name, {}).items():
            labels = dict(key)
            if all(labels.get(label) == text for label, text in wanted.items()):
                yield labels, value

    def total(self, name: str, wanted: Labels = _ANY) -> float | None:
        """Return the sum; None without a sample."""
        values = [value for _, value in self.labelled(name, wanted)]
        return sum(values) if values else None


def parse_solr_prometheus(
    text: str, server: str, collection: str, moment: float
) -> ServerReading | None:
    """Return the reading of a node; None if the text has nothing of Solr 10."""
    samples = _Samples(text, collection)
    counters = add_up([*_jvm_counters(samples), *_cache_counters(samples, collection)])
    # Solr 9 has text of Prometheus, too, with other names.
    if not counters and not samples.cores:
        return None
    return ServerReading(
        server=server,
        moment=moment,
        cores=frozenset(samples.cores),
        counters=counters
        | add_up(_handler_counters(samples, collection))
        | add_up(_index_counters(samples, collection)),
        gauges=_gauges(samples, collection),
        peaks=_peaks(samples, collection),
    )


_Numbers = Iterator[tuple[str, float | None]]


def _jvm_counters(samples: _Samples) -> _Numbers:
    yield "cpu_seconds", samples.total("jvm_cpu_time_seconds_total")
    for figure, end in (("gc_count", "count"), ("gc_seconds", "sum")):
        for labels, value in samples.labelled(f"jvm_gc_duration_seconds_{end}"):
            if _PAUSES.fullmatch(labels.get("jvm_gc_name", "")):
                yield figure, value


def _cache_counters(samples: _Samples, collection: str) -> _Numbers:
    lookups = "solr_core_indexsearcher_cache_lookups_total"
    operations = "solr_core_indexsearcher_cache_ops_total"
    for cache, stem in CACHES.items():
        named = {"name": cache, "collection": collection}
        hits = samples.total(lookups, named | {"result": "hit"})
        misses = samples.total(lookups, named | {"result": "miss"})
        # A result that never was has no sample yet: a cache without a miss has hits alone.
        if hits is not None or misses is not None:
            yield f"{stem}_hits", hits or 0.0
            yield f"{stem}_lookups", (hits or 0.0) + (misses or 0.0)
        for what in ("inserts", "evictions"):
            yield f"{stem}_{what}", samples.total(operations, named | {"ops": what})


def _index_counters(samples: _Samples, collection: str) -> _Numbers:
    here = {"collection": collection}
    yield "merges", samples.total("solr_core_indexwriter_merges_total", here)
    for figure, name, wanted in (
        ("updates", "solr_core_update_cumulative_ops", {"ops": "adds"}),
        # One that expunges deletes is counted under `expunge_deletes` once more.
        ("commits", "solr_core_update_commit_ops", {"ops": "commits"}),
        ("soft_auto_commits", "solr_core_update_auto_commits", {"type": "soft_auto_commits"}),
    ):
        # With the suffix or without, by the version of the writer of the text.
        for suffix in ("_total", ""):
            yield figure, samples.total(name + suffix, here | wanted)


def _handler_counters(samples: _Samples, collection: str) -> _Numbers:
    for figure, name, scale in (
        ("handler_requests", "solr_core_requests_total", 1.0),
        ("handler_errors", "solr_core_requests_errors_total", 1.0),
        ("handler_seconds", "solr_core_requests_times_milliseconds_sum", 0.001),
    ):
        for labels, value in samples.labelled(name, {"collection": collection}):
            # Requests of other nodes have the suffix that Solr 9 gives to the handler's name.
            is_internal = labels.get("internal") == "true"
            handler = labels.get("handler", "") + ("[shard]" if is_internal else "")
            yield f"{figure}:{handler}", value * scale
            if figure in _OF_QUERIES and labels.get("category") == "QUERY":
                yield ("shard_" if is_internal else "") + _OF_QUERIES[figure], value * scale


_OF_QUERIES = {"handler_requests": "requests", "handler_seconds": "request_seconds"}


def _gauges(samples: _Samples, collection: str) -> dict[str, float]:
    here = {"collection": collection}
    megabytes = samples.total("solr_core_index_size_megabytes", here)
    limits = dict(_heap_pools(samples, "jvm_memory_limit_bytes"))
    heap = sum(limits.values())
    if any(name.startswith("ZGC") for name in limits):
        heap = max(limits.values())  # each generation may take the whole heap
    live = samples.total("solr_core_indexsearcher_index_num_docs", here)
    every = samples.total("solr_core_indexsearcher_index_docs", here)
    caches = {
        f"{stem}_{end}": samples.total(
            f"solr_core_indexsearcher_cache_{name}", here | {"name": cache}
        )
        for cache, stem in CACHES.items()
        for end, name in (("entries", "size"), ("bytes", "ram_used_bytes"))
    }
    return present(
        heap_limit_bytes=heap if limits else None,
        cpus=samples.total("jvm_cpu_count"),
        index_bytes=None if megabytes is None else megabytes * _MEGABYTE,
        segments=samples.total("solr_core_segments", here),
        documents=live,
        deleted_documents=None if live is None or every is None else every - live,
        **caches,
    )


def _heap_pools(samples: _Samples, name: str) -> Iterator[tuple[str, float]]:
    for labels, value in samples.labelled(name, _HEAP):
        yield labels.get("jvm_memory_pool_name", ""), value


def _peaks(samples: _Samples, collection: str) -> dict[str, float]:
    after = dict(_heap_pools(samples, "jvm_memory_used_after_last_gc_bytes"))
    return present(
        heap_used_bytes=samples.total("jvm_memory_used_bytes", _HEAP),
        heap_after_gc_bytes=heap_after_gc(after),
        pending_documents=samples.total(
            "solr_core_update_docs_pending_commit", {"collection": collection}
        ),
        threads=samples.total("jvm_thread_count"),
        threads_blocked=samples.total("jvm_thread_count", {"jvm_thread_state": "blocked"}),
        threads_runnable=samples.total("jvm_thread_count", {"jvm_thread_state": "runnable"}),
    )
