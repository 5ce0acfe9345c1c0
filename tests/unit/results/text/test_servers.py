from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.results.text.servers import missing_lines, pods_table, servers_table


def test_only_columns_with_numbers_are_shown() -> None:
    entries = [
        StepTelemetry(step="calm", cpu_cores=1.5, gc_percent=0.25),
        StepTelemetry(step="busy", cpu_cores=2.0, index_bytes=3 << 20),
    ]
    table = servers_table(entries)
    assert (table.head, table.names) == (("Step", "CPU", "GC", "Index"), 1)
    assert table.rows == [("calm", "1.5", "0.25 %", ""), ("busy", "2", "", "3 MiB")]


def test_variants_have_a_column() -> None:
    table = servers_table([StepTelemetry(step="calm", variant="proxy", nodes=3)])
    assert table.head == ("Step", "Variant", "Nodes")
    assert table.rows == [("calm", "proxy", "3")]


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
    assert table.head == ("Step", "Pods of", "CPU", "Throttled", "Read/s", "Sent/s")
    assert table.rows == [
        ("busy", "Solr", "1.5", "0 %", "341 B", "2 KiB"),
        ("busy", "ZooKeeper", "0", "", "", ""),
        ("busy", "companions", "0.1", "80 %", "", ""),
        ("busy", "load", "0.25", "", "", "3 MiB"),
    ]


def test_what_is_missing_is_said_once_with_its_steps() -> None:
    entries = [StepTelemetry(step=step, missing=["no metrics from x"]) for step in ("a", "b")]
    assert missing_lines(entries) == ["not measured in a, b: no metrics from x"]
