"""Metrics of Solr nodes in the shapes of 9.10 (read from a running node) and 10.0."""

from typing import Any

MIB = 1 << 20


def meter(count: int) -> dict[str, float]:
    """Return what Solr reports of something that it counts with a rate."""
    return {"count": count, "meanRate": 0.0, "1minRate": 0.0, "5minRate": 0.0, "15minRate": 0.0}


def solr_9_cache(lookups: int, hits: int, evictions: int = 0) -> dict[str, float]:
    """Return one cache; what is not cumulative is of the present searcher."""
    return {
        "lookups": 1,
        "hits": 0,
        "hitratio": 0.0,
        "inserts": 1,
        "evictions": 0,
        "size": 7,
        "warmupTime": 0,
        "ramBytesUsed": 1000,
        "maxRamMB": -1,
        "cumulative_lookups": lookups,
        "cumulative_hits": hits,
        "cumulative_hitratio": 0.5,
        "cumulative_inserts": lookups - hits,
        "cumulative_evictions": evictions,
    }


def solr_9_core(collection: str = "books", requests: int = 0, lookups: int = 0) -> dict[str, Any]:
    return {
        "CORE.collection": collection,
        "CACHE.searcher.filterCache": solr_9_cache(lookups, lookups // 2),
        "CACHE.searcher.queryResultCache": solr_9_cache(lookups, 0, lookups),
        "INDEX.segments": 3,
        "INDEX.sizeInBytes": 5000,
        "INDEX.size": "4.9 KB",
        "SEARCHER.searcher.numDocs": 100,
        "SEARCHER.searcher.deletedDocs": 4,
        "INDEX.merge.major": meter(1),
        "INDEX.merge.minor": meter(4),
        # Requests to merge other indexes into this one.
        "UPDATE.updateHandler.merges": meter(2),
        "UPDATE.updateHandler.cumulativeAdds": meter(8),
        "UPDATE.updateHandler.commits": meter(2),
        "UPDATE.updateHandler.docsPending": 7,
        "QUERY./select.requests": requests,
        "QUERY./select.errors": meter(1),
        "QUERY./select.totalTime": requests * 2_000_000,
        "QUERY./select[shard].requests": 3 * requests,
        "QUERY./select[shard].totalTime": requests * 1_000_000,
        "UPDATE./update.requests": 2,
        "UPDATE./update.errors": meter(0),
    }


def solr_9_jvm(
    cpu_seconds: float = 0.0, gc_milliseconds: int = 0, heap_used: int = 100 * MIB
) -> dict[str, Any]:
    return {
        "gc.G1-Young-Generation.count": gc_milliseconds // 10,
        "gc.G1-Young-Generation.time": gc_milliseconds,
        "gc.G1-Old-Generation.count": 0,
        "gc.G1-Old-Generation.time": 0,
        "gc.G1-Concurrent-GC.count": 900,
        "gc.G1-Concurrent-GC.time": 900_000,
        "memory.heap.max": 512 * MIB,
        "memory.heap.used": heap_used,
        "memory.pools.G1-Eden-Space.used-after-gc": 0,
        "memory.pools.G1-Old-Gen.used-after-gc": 30 * MIB,
        "memory.pools.G1-Survivor-Space.used-after-gc": 2 * MIB,
        "os.availableProcessors": 2,
        "os.openFileDescriptorCount": 169,
        "os.processCpuTime": round(cpu_seconds * 1e9),
        "os.version": "6.1",
        "threads.blocked.count": 1,
        "threads.count": 50,
        "threads.runnable.count": 16,
        "threads.deadlocks": [],
    }


def solr_9_jetty(busy: float = 0.25, jobs: int = 3) -> dict[str, Any]:
    """Return the registry of Jetty, whose pool is instrumented in Solr's own distribution."""
    pool = "org.eclipse.jetty.util.thread.QueuedThreadPool.qtp1404928347"
    return {
        f"{pool}.jobs": jobs,
        f"{pool}.size": 40,
        f"{pool}.utilization": 0.5,
        f"{pool}.utilization-max": busy,
    }


def solr_9_node(**registries: dict[str, Any]) -> dict[str, Any]:
    """Return one node of the response to `nodes=all`: `jvm`, `jetty`, and any core."""
    named = {
        f"solr.{name}" if name in ("jvm", "jetty") else f"solr.core.{name}": registry
        for name, registry in registries.items()
    }
    return {"responseHeader": {"status": 0, "QTime": 1}, "metrics": named}


SOLR_10 = """\
# TYPE jvm_cpu_time_seconds_total counter
jvm_cpu_time_seconds_total{otel_scope_name="io.opentelemetry.runtime-telemetry-java8"} 12.5
jvm_cpu_time_seconds_total{otel_scope_name="io.opentelemetry.runtime-telemetry-java17"} 12.5
# TYPE jvm_cpu_count gauge
jvm_cpu_count 2
# TYPE jvm_gc_duration_seconds histogram
jvm_gc_duration_seconds_bucket{jvm_gc_name="G1 Young Generation",le="0.1"} 8
jvm_gc_duration_seconds_bucket{jvm_gc_name="G1 Young Generation",le="+Inf"} 8
jvm_gc_duration_seconds_count{jvm_gc_name="G1 Young Generation"} 8
jvm_gc_duration_seconds_sum{jvm_gc_name="G1 Young Generation"} 0.25
jvm_gc_duration_seconds_bucket{jvm_gc_name="G1 Concurrent GC",le="+Inf"} 4
jvm_gc_duration_seconds_count{jvm_gc_name="G1 Concurrent GC"} 4
jvm_gc_duration_seconds_sum{jvm_gc_name="G1 Concurrent GC"} 9.0
# TYPE jvm_memory_used_bytes gauge
jvm_memory_used_bytes{jvm_memory_type="heap",jvm_memory_pool_name="G1 Eden Space"} 100
jvm_memory_used_bytes{jvm_memory_type="heap",jvm_memory_pool_name="G1 Old Gen"} 50
jvm_memory_used_bytes{jvm_memory_type="non_heap",jvm_memory_pool_name="Metaspace"} 7000
# TYPE jvm_memory_used_after_last_gc_bytes gauge
jvm_memory_used_after_last_gc_bytes{jvm_memory_type="heap",jvm_memory_pool_name="Survivor"} 5
jvm_memory_used_after_last_gc_bytes{jvm_memory_type="heap",jvm_memory_pool_name="G1 Old Gen"} 30
# TYPE jvm_thread_count gauge
jvm_thread_count{jvm_thread_state="runnable"} 16
jvm_thread_count{jvm_thread_state="blocked"} 2
# TYPE solr_core_indexsearcher_cache_lookups_total counter
solr_core_indexsearcher_cache_lookups_total{collection="books",name="filterCache",result="hit"} 30
solr_core_indexsearcher_cache_lookups_total{collection="books",name="filterCache",result="miss"} 10
solr_core_indexsearcher_cache_lookups_total{collection="films",name="filterCache",result="hit"} 99
# TYPE solr_core_indexsearcher_cache_ops_total counter
solr_core_indexsearcher_cache_ops_total{collection="books",name="filterCache",ops="evictions"} 5
# TYPE solr_core_requests_total counter
solr_core_requests_total{category="QUERY",collection="books",handler="/select",internal="false"} 40
solr_core_requests_total{category="QUERY",collection="books",handler="/select",internal="true"} 80
# TYPE solr_core_index_size_megabytes gauge
solr_core_index_size_megabytes{collection="books",core="books_r1"} 1.5
solr_core_indexsearcher_index_docs{collection="books",core="books_r1"} 104
solr_core_indexsearcher_index_num_docs{collection="books",core="books_r1"} 100
solr_core_update_docs_pending_commit{collection="books",core="books_r1",ops="docs_pending"} 7
# TYPE solr_core_update_commit_ops_total counter
solr_core_update_commit_ops_total{collection="books",core="books_r1",ops="commits"} 2
solr_core_update_commit_ops_total{collection="books",core="books_r1",ops="expunge_deletes"} 1
solr_core_update_auto_commits_total{collection="books",core="books_r1",type="auto_commits"} 9
solr_core_update_auto_commits_total{collection="books",core="books_r1",type="soft_auto_commits"} 1
"""
"""One node of Solr 10.0, the lines that are read and some beside them."""
