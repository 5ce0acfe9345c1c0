import pytest

from solrbench.telemetry.solr_prometheus import parse_solr_prometheus
from support.solr.solr_metrics import MIB, SOLR_10


def test_a_node_of_solr_10_has_the_same_figures() -> None:
    reading = parse_solr_prometheus(SOLR_10, "solr-0:8983", "books", 1.0)
    assert reading is not None
    counters = reading.counters
    # Twice in the text, once for each instrumentation.
    assert counters["cpu_seconds"] == 12.5
    assert (counters["gc_count"], counters["gc_seconds"]) == (8, 0.25)
    assert (counters["filter_cache_lookups"], counters["filter_cache_hits"]) == (40, 30)
    assert counters["filter_cache_evictions"] == 5
    assert (counters["requests"], counters["shard_requests"]) == (40, 80)
    assert counters["handler_requests:/select[shard]"] == 80
    assert reading.gauges["index_bytes"] == 1.5 * MIB
    assert reading.peaks == {
        "heap_used_bytes": 150,
        "heap_after_gc_bytes": 35,
        "threads": 18,
        "threads_blocked": 2,
        "threads_runnable": 16,
    }


def test_a_text_of_another_program_is_no_reading() -> None:
    assert parse_solr_prometheus("up 1\n", "a:1", "books", 0) is None


def test_a_page_that_is_no_text_of_prometheus_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_solr_prometheus("<html>{not} metrics", "a:1", "books", 0)
