from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.results.text.servers import missing_lines, servers_table


def test_only_columns_with_numbers_are_shown() -> None:
    entries = [
        StepTelemetry(step="calm", cpu_cores=1.5, gc_percent=0.25),
        StepTelemetry(step="busy", cpu_cores=2.0, index_bytes=3 << 20),
    ]
    assert servers_table(entries) == [
        ["Step", "CPU", "GC", "Index"],
        ["---", "--:", "--:", "--:"],
        ["calm", "1.5", "0.25 %", ""],
        ["busy", "2", "", "3 MiB"],
    ]


def test_variants_have_a_column() -> None:
    table = servers_table([StepTelemetry(step="calm", variant="proxy", nodes=3)])
    assert table[0] == ["Step", "Variant", "Nodes"]
    assert table[2] == ["calm", "proxy", "3"]


def test_without_numbers_there_is_no_table() -> None:
    assert servers_table([]) == []
    assert servers_table([StepTelemetry(step="calm")]) == []


def test_what_is_missing_is_said_once_with_its_steps() -> None:
    entries = [StepTelemetry(step=step, missing=["no metrics from x"]) for step in ("a", "b")]
    assert missing_lines(entries) == ["not measured in a, b: no metrics from x"]
