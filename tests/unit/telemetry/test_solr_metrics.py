import pytest

from solrbench.telemetry.readings import summarise_readings
from solrbench.telemetry.solr_json import parse_solr_json
from solrbench.telemetry.solr_prometheus import parse_solr_prometheus
from support.narrowing import not_none
from support.solr.solr_metrics import (
    MIB,
    SOLR_10,
    solr_9_core,
    solr_9_jetty,
    solr_9_jvm,
    solr_9_node,
)


def test_a_node_reports_its_jvm_and_jetty() -> None:
    node = solr_9_node(jvm=solr_9_jvm(3.5, 200), jetty=solr_9_jetty(0.25, 3))
    (reading,) = parse_solr_json({"responseHeader": {}, "solr_0:8983_solr": node}, "books", 5.0)
    assert (reading.server, reading.moment) == ("solr_0:8983", 5.0)
    assert reading.counters == {"cpu_seconds": 3.5, "gc_count": 20, "gc_seconds": 0.2}
    assert reading.gauges["heap_limit_bytes"] == 512 * MIB
    assert reading.peaks["heap_after_gc_bytes"] == 32 * MIB
    assert reading.peaks["threads_blocked"] == 1
    assert (reading.peaks["jetty_busy_percent"], reading.peaks["jetty_queue"]) == (25, 3)


def test_work_of_collectors_beside_the_application_is_no_pause() -> None:
    jvm = {"gc.ZGC-Cycles.time": 5000, "gc.ZGC-Pauses.time": 3, "gc.ZGC-Pauses.count": 1}
    (reading,) = parse_solr_json({"a:1_solr": solr_9_node(jvm=jvm)}, "books", 0)
    assert reading.counters == {"gc_seconds": 0.003, "gc_count": 1}


def test_cores_of_the_collection_are_added_and_others_left_out() -> None:
    node = solr_9_node(
        a=solr_9_core(requests=10, lookups=8),
        b=solr_9_core(requests=5, lookups=4),
        c=solr_9_core("films", requests=1000, lookups=1000),
    )
    (reading,) = parse_solr_json({"a:1_solr": node}, "books", 0)
    counters = reading.counters
    assert (counters["filter_cache_lookups"], counters["filter_cache_hits"]) == (12, 6)
    assert (counters["requests"], counters["shard_requests"]) == (15, 45)
    assert counters["handler_seconds:/select"] == 0.03
    assert counters["handler_errors:/select"] == 2
    assert (counters["updates"], counters["commits"], counters["merges"]) == (16, 4, 10)
    assert reading.peaks["pending_documents"] == 14
    assert reading.gauges["index_bytes"] == 10_000
    assert reading.gauges["segments"] == 6
    assert reading.gauges["filter_cache_entries"] == 14


def test_what_a_node_does_not_report_is_missing() -> None:
    jvm = {"os.processCpuTime": "?", "os.systemCpuLoad": -1.0}
    (reading,) = parse_solr_json({"a:1_solr": solr_9_node(jvm=jvm)}, "b", 0)
    assert (reading.counters, reading.gauges, reading.peaks) == ({}, {}, {})


def test_a_response_without_nodes_has_no_reading_nor_has_a_text_of_another_program() -> None:
    assert parse_solr_json({"responseHeader": {"status": 0}, "error": "x"}, "books", 0) == []
    assert parse_solr_prometheus("up 1\n", "a:1", "books", 0) is None
    assert parse_solr_prometheus("<html>{not} metrics", "a:1", "books", 0) is None


def test_light_and_full_readings_make_up_the_figures() -> None:
    full = {"a:1_solr": solr_9_node(jvm=solr_9_jvm(1), x=solr_9_core(requests=10))}
    light = {"a:1_solr": solr_9_node(jvm=solr_9_jvm(2, heap_used=300 * MIB))}
    last = {"a:1_solr": solr_9_node(jvm=solr_9_jvm(5), x=solr_9_core(requests=30))}
    series = [
        each
        for second, response in enumerate((full, light, last))
        for each in parse_solr_json(response, "books", float(second))
    ]
    found = summarise_readings(series)
    assert [len(each.cores) for each in series] == [1, 0, 1]
    assert (found.seconds, found.readings) == (2, 3)
    assert found.figures["cpu_seconds"] == 4
    assert found.figures["requests"] == 20
    assert found.figures["heap_used_max_bytes"] == 300 * MIB
    assert found.figures["threads_mean"] == 50


def test_a_node_of_solr_10_has_the_same_figures() -> None:
    reading = not_none(parse_solr_prometheus(SOLR_10, "solr-0:8983", "books", 1.0))
    assert reading.cores == {"books_r1"}
    counters = reading.counters
    # Twice in the text, once for each instrumentation.
    assert counters["cpu_seconds"] == 12.5
    assert (counters["gc_count"], counters["gc_seconds"]) == (8, 0.25)
    assert (counters["filter_cache_lookups"], counters["filter_cache_hits"]) == (40, 30)
    assert counters["filter_cache_evictions"] == 5
    assert (counters["requests"], counters["shard_requests"]) == (40, 80)
    assert counters["handler_requests:/select[shard]"] == 80
    assert (counters["commits"], counters["soft_auto_commits"]) == (2, 1)
    assert reading.gauges["index_bytes"] == 1.5 * MIB
    assert (reading.gauges["documents"], reading.gauges["deleted_documents"]) == (100, 4)
    heap = {"heap_used_bytes": 150, "heap_after_gc_bytes": 35}
    threads = {"threads": 18, "threads_blocked": 2, "threads_runnable": 16}
    assert reading.peaks == heap | threads | {"pending_documents": 7}


@pytest.mark.parametrize(
    ("pools", "limit"),
    [
        ({"PS Eden Space": 100, "PS Old Gen": 300}, 400),
        ({"ZGC Young Generation": 400, "ZGC Old Generation": 400}, 400),
        ({}, None),
    ],
)
def test_heap_limit_is_that_of_all_pools(pools: dict[str, int], limit: int | None) -> None:
    labels = 'jvm_memory_type="heap",jvm_memory_pool_name'
    lines = [f'jvm_memory_limit_bytes{{{labels}="{name}"}} {each}' for name, each in pools.items()]
    reading = parse_solr_prometheus(SOLR_10 + "\n".join(lines), "solr-0:8983", "books", 1.0)
    assert not_none(reading).gauges.get("heap_limit_bytes") == limit
