from typing import Any

from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.contract.step_document import SlowRequest, StepRunResult
from solrbench.present.server_tables import missing_lines, pods_table, servers_table, slow_lines
from support.results.builders import make_document, make_result


def test_only_columns_with_numbers_are_shown() -> None:
    entries = [
        StepTelemetry(step="calm", cpu_cores=1.5, gc_percent=0.25),
        StepTelemetry(step="busy", cpu_cores=2.0, index_bytes=3 << 20),
    ]
    table = servers_table(entries)
    assert table.head == ("Step", "CPU cores", "GC", "Index")
    assert [column.is_name for column in table.columns] == [True, False, False, False]
    assert table.texts == [("calm", "1.5", "0.25 %", ""), ("busy", "2", "", "3 MiB")]


def test_variants_have_a_column() -> None:
    table = servers_table([StepTelemetry(step="calm", variant="proxy", nodes=3)])
    assert table.head == ("Step", "Variant", "Nodes")
    assert table.texts == [("calm", "proxy", "3")]


def test_without_numbers_there_is_no_table() -> None:
    for table in (servers_table, pods_table):
        assert table([]).rows == []
        assert table([StepTelemetry(step="calm")]).rows == []


def test_pods_have_a_row_for_each_component_that_was_read() -> None:
    entry = StepTelemetry(
        step="busy",
        cpu_cores=1.5,
        throttled_percent=0,
        companion_cpu_cores=0.1,
        companion_throttled_percent=80,
        load_cpu_cores=0.25,
        zookeeper_cpu_cores=0,
        read_bytes_per_second=341,
        network_bytes_per_second=2048,
        load_network_bytes_per_second=3 << 20,
    )
    table = pods_table([entry])
    figures = "CPU cores", "Throttled", "Disk read/s", "Network sent/s"
    assert table.head == ("Step", "Pods of", *figures)
    assert table.texts == [
        ("busy", "Solr", "1.5", "0 %", "341 B", "2 KiB"),
        ("busy", "ZooKeeper", "0", "", "", ""),
        ("busy", "companions", "0.1", "80 %", "", ""),
        ("busy", "load", "0.25", "", "", "3 MiB"),
    ]


def test_what_is_missing_is_said_once_with_its_steps() -> None:
    entries = [StepTelemetry(step=step, missing=["no metrics from x"]) for step in ("a", "b")]
    assert missing_lines(entries) == ["not measured in a, b: no metrics from x"]


def slow(milliseconds: int, **fields: Any) -> SlowRequest:
    return SlowRequest(
        query=f"q={milliseconds}",
        service_time_microseconds=milliseconds * 1000,
        node="solr-0:8983",
        second=1.25,
        **fields,
    )


def document(repeat: int, *found: SlowRequest, variant: str = "") -> StepRunResult:
    result = make_result([1], slow_requests=list(found))
    return make_document("one", repeat, result, variant=variant)


def test_slowest_of_all_step_runs_come_first() -> None:
    first = document(1, slow(300, qtime_milliseconds=290), slow(20))
    second = document(2, slow(700, failure="Timeout"), variant="proxy")
    assert slow_lines([first, second], 2) == [
        "query: 700 ms, Timeout in one (proxy), repeat 2, second 1.2, solr-0:8983: q=700",
        "query: 300 ms (QTime 290 ms) in one, repeat 1, second 1.2, solr-0:8983: q=300",
    ]


def test_unknown_node_is_left_out() -> None:
    without_node = slow(300).model_copy(update={"node": None, "query": "transaction check-out"})
    assert slow_lines([document(1, without_node)], 1) == [
        "query: 300 ms in one, repeat 1, second 1.2: transaction check-out"
    ]


def test_documents_of_old_have_no_slow_requests() -> None:
    old = document(1).model_dump(mode="json", by_alias=True)
    del old["requests"][0]["slowRequests"]
    assert slow_lines([StepRunResult.model_validate(old)], 3) == []
