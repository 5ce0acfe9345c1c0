import re
from pathlib import Path

from prometheus_client import CollectorRegistry

from solrbench.telemetry.benchmarks import FAMILIES
from solrbench.telemetry.metrics import Telemetry

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"


def _families() -> dict[str, str]:
    families = {
        each.name: each.type for each in Telemetry(CollectorRegistry(), "1").registry.collect()
    }
    return {
        f"{name}_total" if kind == "counter" else name: kind
        for name, kind in families.items()
        if name.startswith("solrbench_")
    }


def test_the_page_lists_every_metric_with_its_type_and_no_other() -> None:
    rows = re.findall(r"^\| `(solrbench_\w+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    wanted = _families()
    assert wanted.pop("solrbench_benchmarks") == "gauge"
    assert "`solrbench_benchmarks`, a gauge" in PAGE.read_text()
    assert dict(rows) == wanted
    assert len(rows) == len(wanted)


def test_the_page_lists_every_label() -> None:
    text = PAGE.read_text()
    for family in FAMILIES:
        (row,) = re.findall(rf"^\| `{family.full_name}` .*$", text, re.MULTILINE)
        labels = row.split(" | ")[3]
        assert re.findall(r"`(\w+)`", labels) == list(family.labels)
