import pytest

from solrbench.analysis.server_metrics import merge_telemetry, run_telemetry
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import StepRunResult
from solrbench.telemetry.summary import spreads_of, with_shares
from support.narrowing import not_none
from support.results.builders import make_document, make_result, make_spec

MIB = 1 << 20


def node(name: str, **figures: float) -> ServerFigures:
    return with_shares(ServerFigures(server=name, seconds=10, readings=2, figures=figures))


def telemetry(*nodes: ServerFigures, zookeeper: ServerFigures | None = None) -> Telemetry:
    spreads = {"solr": spreads_of("solr", nodes)}
    if zookeeper is not None:
        spreads["zookeeper"] = spreads_of("zookeeper", [zookeeper])
    return Telemetry(spreads=spreads, missing=["no metrics from b"])


def document(found: Telemetry | None, repeat: int = 1) -> StepRunResult:
    return make_document("a", repeat, make_result([20_000] * 100), seconds=10, telemetry=found)


def test_of_several_nodes_sums_and_the_worst_count() -> None:
    busy = node(
        "a",
        cpu_seconds=8,
        cpus=2,
        requests=60,
        request_seconds=0.6,
        gc_seconds=1,
        heap_after_gc_max_bytes=90 * MIB,
        heap_limit_bytes=100 * MIB,
        index_bytes=5,
        filter_cache_lookups=30,
        filter_cache_hits=10,
        filter_cache_evictions=20,
    )
    idle = node(
        "b",
        cpu_seconds=2,
        cpus=2,
        requests=40,
        request_seconds=0.4,
        gc_seconds=0,
        filter_cache_lookups=10,
        filter_cache_hits=10,
        index_bytes=6,
    )
    found = not_none(run_telemetry(document(telemetry(busy, idle))))
    figures = found.figures
    assert (figures["cpu_cores"], figures["cpu_percent"]) == (1, 40)
    assert figures["cpu_milliseconds_per_request"] == 100
    assert (figures["gc_percent"], figures["heap_after_gc_max_percent"]) == (10, 90)
    assert figures["filter_cache_hit_percent"] == 50
    assert figures["cache_evictions_per_second"] == 2
    assert (figures["index_bytes"], figures["nodes"]) == (11, 2)
    assert (figures["solr_milliseconds"], figures["client_milliseconds"]) == (10, 20)
    assert found.servers["cpu_percent"] == "a"
    assert found.peers["cpu_percent"].lowest == 10
    assert found.missing == ("no metrics from b",)


def test_latency_of_zookeeper_is_that_of_what_it_served() -> None:
    served = {"reads": 90, "read_seconds": 0.1, "updates": 10, "update_seconds": 0.4}
    zookeeper = node("zk", **served, outstanding_requests_max=12, watches=7)
    found = not_none(run_telemetry(document(telemetry(zookeeper=zookeeper))))
    assert found.figures["zookeeper_latency_milliseconds"] == pytest.approx(5)
    assert found.figures["zookeeper_watches"] == 7
    assert found.servers["zookeeper_outstanding_max"] == "zk"


def test_the_status_has_means_over_repeats_and_leaves_out_what_is_unknown() -> None:
    runs = [document(telemetry(node("a", cpu_seconds=s, cpus=2)), s) for s in (2, 4)]
    (entry,) = merge_telemetry(make_spec("a"), [(each, run_telemetry(each)) for each in runs])
    assert (entry.step, entry.cpu_cores, entry.cpu_percent) == ("a", 0.3, 15)
    assert entry.gc_percent is None
    assert entry.missing == ["no metrics from b"]


def test_without_telemetry_there_is_no_entry() -> None:
    run = document(None)
    assert run_telemetry(run) is None
    assert merge_telemetry(make_spec("a"), [(run, None)]) == []
