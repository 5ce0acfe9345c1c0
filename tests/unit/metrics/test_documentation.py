import re
from pathlib import Path

from prometheus_client import CollectorRegistry

from solrbench.metrics.benchmarks import FAMILIES
from solrbench.metrics.operator_metrics import PrometheusMetrics
from solrbench.metrics.reference import render_metrics_reference

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
REFERENCE = render_metrics_reference()


def _families() -> dict[str, str]:
    families = {
        each.name: each.type
        for each in PrometheusMetrics(CollectorRegistry(), "1").registry.collect()
    }
    return {
        f"{name}_total" if kind == "counter" else name: kind
        for name, kind in families.items()
        if name.startswith("solrbench_")
    }


def test_the_pages_list_every_metric_with_its_type_and_no_other() -> None:
    text = PAGE.read_text() + REFERENCE
    rows = re.findall(r"^\| `(solrbench_\w+)` \| (\w+) \|", text, re.MULTILINE)
    wanted = _families()
    assert wanted.pop("solrbench_benchmarks") == "gauge"
    assert "`solrbench_benchmarks`, a gauge" in PAGE.read_text()
    assert dict(rows) == wanted
    assert len(rows) == len(wanted)


def test_the_reference_lists_every_label_and_a_unit() -> None:
    for family in FAMILIES:
        (row,) = re.findall(rf"^\| `{family.full_name}` .*$", REFERENCE, re.MULTILINE)
        _, kind, unit, labels, meaning = row.strip("| ").split(" | ")
        assert re.findall(r"`(\w+)`", labels) == list(family.labels)
        assert (kind, unit, meaning) == (family.kind, family.unit, family.text)
        assert unit
        assert meaning


def test_the_page_names_metrics_that_exist() -> None:
    # What a colon precedes is a recording; three dots stand for the rest of a name.
    text = PAGE.read_text()
    names = set(re.findall(r"(?<!:)\bsolrbench_\w+\b(?!\.\.\.)", text))
    assert names <= _families().keys()
    for beginning in re.findall(r"\b(solrbench_\w+)\.\.\.", text):
        assert any(name.startswith(beginning) for name in _families())
