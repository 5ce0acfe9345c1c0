import pytest

from solrbench.contract.server_document import MAX_HANDLERS, MAX_SERVERS, ServerFigures
from solrbench.telemetry.readings import ServerReading, series_of, summarise_readings
from solrbench.telemetry.summary import (
    handlers_of,
    parse_monitor,
    spreads_of,
    summarise_servers,
    worst_servers,
)
from support.narrowing import not_none


def reading(second: float, **counters: float) -> ServerReading:
    return ServerReading("a", second, counters=counters)


def test_a_counter_that_began_anew_has_no_difference() -> None:
    found = summarise_readings([reading(0, cpu_seconds=50, a=1), reading(1, cpu_seconds=2, a=3)])
    assert found.figures == {"a": 2}


def test_a_single_reading_has_no_differences() -> None:
    found = summarise_readings([reading(3, cpu_seconds=50)])
    assert (found.seconds, found.readings, found.figures) == (0, 1, {})


CORES = frozenset({"core"})


def test_a_counter_without_an_event_yet_was_zero() -> None:
    found = summarise_readings(
        [
            ServerReading("a", 0, {"cpu_seconds": 10}, cores=CORES),
            ServerReading("a", 5, {"cpu_seconds": 11, "requests": 40}, cores=CORES),
            ServerReading("a", 10, {"cpu_seconds": 12, "requests": 90}, cores=CORES),
        ]
    )
    assert found.figures == {"cpu_seconds": 2, "requests": 90}


def test_all_counters_are_of_the_same_time() -> None:
    """At both ends, the reading of the cores failed."""
    found = summarise_readings(
        [
            ServerReading("a", 0, {"cpu_seconds": 0}),
            ServerReading("a", 5, {"cpu_seconds": 5, "requests": 50}, cores=CORES),
            ServerReading("a", 7, {"cpu_seconds": 7}),
            ServerReading("a", 9, {"cpu_seconds": 9, "requests": 90}, cores=CORES),
            ServerReading("a", 20, {"cpu_seconds": 20}),
        ]
    )
    assert (found.seconds, found.readings) == (4, 5)
    assert found.figures == {"cpu_seconds": 4, "requests": 40}


def test_the_unit_stays_at_the_end_of_the_name() -> None:
    peaks = [
        ServerReading("a", t, peaks={"heap_used_bytes": n, "threads": n})
        for t, n in ((0, 1), (1, 3))
    ]
    heap = {"heap_used_max_bytes": 3, "heap_used_mean_bytes": 2}
    assert summarise_readings(peaks).figures == heap | {"threads_max": 3, "threads_mean": 2}


def readings(count: int) -> list[ServerReading]:
    return [
        ServerReading(
            "solr-0",
            1000.0 + 10 * each,
            gauges={"heap_limit_bytes": 512.0}
            | ({"filter_cache_entries": each, "index_bytes": 9} if each % 5 == 0 else {}),
            peaks={"heap_after_gc_bytes": 100.0 + each % 2},
        )
        for each in range(count)
    ]


def test_series_has_few_windows_counted_from_the_first_reading() -> None:
    found = {each.figure: each for each in series_of("solr", readings(300))}
    heap = found["heap_after_gc_bytes"]
    assert len(heap.values) == len(heap.seconds) == 48
    assert set(heap.values) == {100.0}
    assert 0 < heap.seconds[0] < 100
    assert heap.limit == 512


def test_figures_of_full_readings_have_series_of_their_own() -> None:
    found = {each.figure: each for each in series_of("solr", readings(100))}
    assert len(found["cache_entries"].values) == 20
    assert found["index_bytes"].values == [9] * 20


def test_cpu_is_the_share_between_readings() -> None:
    spent = [0.0, 5.0, 5.0, 1.0, 11.0]  # the node was started again before the fourth
    found = [
        ServerReading("solr-0", 10.0 * each, counters={"cpu_seconds": cpu}, gauges={"cpus": 2.0})
        for each, cpu in enumerate(spent)
    ]
    (cpu,) = series_of("solr", found)
    assert cpu.figure == "cpu_percent"
    assert cpu.seconds == pytest.approx([10, 20, 30], abs=10)
    assert cpu.values == [25.0, 0.0, 50.0]


def test_kind_without_trends_has_no_series() -> None:
    assert series_of("machines", readings(9)) == []
    assert series_of("solr", readings(1)) == []


def server(number: int, **figures: float) -> ServerFigures:
    return ServerFigures(server=f"solr-{number}", seconds=10, readings=2, figures=figures)


def test_of_a_hundred_nodes_the_busiest_are_kept_and_the_spread_covers_all() -> None:
    nodes = [server(each, cpu_seconds=each) for each in range(100)]
    kept = worst_servers(nodes)
    assert len(kept) == MAX_SERVERS
    assert kept[0].server == "solr-99"
    (spread,) = spreads_of("solr", nodes)
    assert (spread.figure, spread.servers) == ("cpu_seconds", 100)
    assert (spread.total, spread.median) == (495, 4.95)
    assert (spread.highest, spread.highest_server) == (9.9, "solr-99")


def test_of_more_machines_than_are_kept_the_busiest_are() -> None:
    kept = worst_servers(server(each, cpu_busy_seconds=each) for each in range(MAX_SERVERS + 2))
    assert [each.figures["cpu_busy_seconds"] for each in kept] == [*range(MAX_SERVERS + 1, 1, -1)]


def pod(component: str, cpu_seconds: float) -> list[ServerReading]:
    used = ({"cpu_seconds": number} for number in (0.0, cpu_seconds))
    return [ServerReading("", t, each, component=component) for t, each in enumerate(used)]


def test_the_load_master_is_kept_beside_busier_pods() -> None:
    pods = {f"solr-{each}": pod("solr", 5.0) for each in range(MAX_SERVERS + 2)}
    found = summarise_servers({"pods": pods | {"master": pod("load-master", 1.0)}}, [])
    components = [each.component for each in found.pods]
    assert components == ["solr"] * MAX_SERVERS + ["load-master"]


def test_a_figure_of_the_moment_is_not_divided_by_time() -> None:
    (spread,) = spreads_of("solr", [server(0, index_bytes=500), server(1)])
    assert (spread.total, spread.servers) == (500, 1)


def test_handlers_of_all_nodes_are_added() -> None:
    select = {"requests": 3, "seconds": 1.5, "errors": 1}
    figures = {f"handler_{name}:/select": value for name, value in select.items()}
    node = server(0, **figures, **{"handler_requests:/get": 0})
    (handler,) = handlers_of([node, node])
    assert (handler.handler, handler.requests, handler.errors) == ("/select", 6, 2)
    assert handler.seconds == 3
    assert worst_servers([node])[0].figures == {}


def test_handlers_are_bounded() -> None:
    figures = {f"handler_requests:/h{each}": 1.0 for each in range(100)}
    assert len(handlers_of([server(0, **figures)])) == MAX_HANDLERS


MNTR = (
    "zk_version\t3.9.4-7246445, built on 2025-08-19 19:53 UTC\nzk_server_state\tstandalone\n"
    "zk_avg_latency\t1.374\nzk_outstanding_requests\t{queued}\nzk_num_alive_connections\t2\n"
    "zk_watch_count\t16\nzk_znode_count\t59\nzk_packets_received\t{requests}\n"
    "zk_avg_updatelatency\t2.0\nzk_cnt_updatelatency\t{requests}\nzk_sum_updatelatency\t{spent}\n"
)


def test_latency_is_that_of_the_step() -> None:
    first = parse_monitor(MNTR.format(queued=0, requests=1000, spent=1000), "zk:2181", 0)
    last = parse_monitor(MNTR.format(queued=12, requests=1100, spent=3000), "zk:2181", 10)
    figures = summarise_readings([not_none(first), not_none(last)]).figures
    assert (figures["updates"], figures["update_seconds"]) == (100, 2)
    assert (figures["watches"], figures["connections"], figures["znodes"]) == (16, 2, 59)
    assert figures["outstanding_requests_max"] == 12


def test_a_word_that_is_not_served_is_no_reading() -> None:
    text = "mntr is not executed because it is not in the whitelist.\n"
    assert parse_monitor(text, "zk:2181", 0) is None
    assert parse_monitor("", "zk:2181", 0) is None
