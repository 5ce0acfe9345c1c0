import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from chart.programs import promtool
from chart.rendering import CHART, NAMESPACE, of_kind, template
from solrbench.metrics.benchmarks import LIVE_FAMILIES
from solrbench.metrics.results import RESULT_FAMILIES
from solrbench.metrics.sweeps import SWEEP_FAMILIES
from support.results.full_benchmark import full_benchmark, metrics_of

RULES = CHART / "rules" / "solrbench.yaml"
OF_PROMETHEUS = {"cluster", "instance", "job"}
"""Labels that Prometheus adds; `cluster` where several feed one store."""


def _exposed() -> dict[str, set[str]]:
    """Return each sample the operator shows, with the names of its labels."""
    found: dict[str, set[str]] = {}
    for family in metrics_of(full_benchmark()).registry.collect():
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


BOARDS = ("solrbench.json", "solrbench-fleet.json", "solrbench-live.json", "solrbench-sweeps.json")


@functools.cache
def _dashboards() -> tuple[dict[str, Any], ...]:
    (config_map,) = of_kind("everything", "ConfigMap")
    assert set(config_map["data"]) == set(BOARDS)
    return tuple(json.loads(config_map["data"][each]) for each in BOARDS)


def _dashboard_queries() -> list[str]:
    targets = [
        each
        for board in _dashboards()
        for panel in board["panels"]
        for each in panel.get("targets", [])
    ]
    variables = [
        each.get("definition", "")
        for board in _dashboards()
        for each in board["templating"]["list"]
    ]
    return [each["expr"] for each in targets] + variables


def _rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [each for group in groups for each in group["rules"]]


@pytest.mark.parametrize("query", sorted({each["expr"] for each in _rules()}))
def test_alerts_ask_for_metrics_that_exist(query: str) -> None:
    _check_query(query)


def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    queries = [each for each in _dashboard_queries() if each]
    assert len(queries) > 20
    for query in queries:
        _check_query(query)


def _check_query(query: str) -> None:
    exposed = _exposed()
    names = re.findall(r"(?<!:)\bsolrbench_[a-z0-9_]+", query)
    if ":solrbench_" in query:  # a recording, which has a test of its own
        return
    assert names
    assert set(names) <= set(exposed), query
    labels = set(re.findall(r"([a-z_]+)=~?\"", query))
    for group in re.findall(r"by \(([^)]*)\)", query):
        labels |= {each.strip() for each in group.split(",")}
    labels -= OF_PROMETHEUS
    labels -= set(re.findall(r'label_join\(solrbench.*, "(\w+)", " ", ', query))
    joined = re.findall(r', " ", ((?:"\w+"(?:, )?)+)\)', query)
    labels |= {each for group in joined for each in re.findall(r"\w+", group)}
    if re.search(r" group_(left|right) | on \(", query):  # a join has the labels of both
        assert labels <= set.union(*(exposed[name] for name in names)), query
        return
    for name in names:
        assert labels <= exposed[name], query


def _panels() -> list[dict[str, Any]]:
    return [panel for board in _dashboards() for panel in board["panels"] if panel["type"] != "row"]


def test_every_panel_says_what_it_shows_and_in_which_unit() -> None:
    for panel in _panels():
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


def test_units_are_those_of_the_metrics() -> None:
    """Look at panels with one unit; a quotient has none of its metrics'."""
    units = {"_bytes_per_second": {"Bps"}, "_per_second": {"reqps", "short"}}
    units |= {"_seconds": {"s"}, "_bytes": {"bytes"}}
    for panel in _panels():
        if panel["type"] not in {"barchart", "bargauge", "timeseries"}:
            continue
        for query in (each["expr"] for each in panel["targets"]):
            name = re.findall(r"\bsolrbench_[a-z0-9_]+?(?=_bucket|\b)", query)[0]
            wanted = next((u for end, u in units.items() if name.endswith(end)), None)
            unit = panel["fieldConfig"]["defaults"]["unit"]
            assert wanted is None or " / " in query or unit in wanted, (panel["title"], query)


def test_legends_name_labels_of_the_metrics() -> None:
    exposed = _exposed()
    for target in (each for panel in _panels() for each in panel["targets"]):
        names = re.findall(r"\bsolrbench_[a-z0-9_]+", target["expr"])
        labels = set.intersection(*(exposed[name] for name in names))
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels, target


def test_columns_are_those_of_the_queries() -> None:
    for panel in _panels():
        letters = [each["refId"] for each in panel["targets"]]
        assert letters == [chr(ord("A") + place) for place in range(len(letters))]
        made = {f"Value #{each}" for each in letters} if len(letters) > 1 else {"Value"}
        steps = [each["options"] for each in panel.get("transformations", [])]
        names = {old: new for step in steps for old, new in step.get("renameByName", {}).items()}
        assert set(names) <= made, panel["title"]
        assert len(set(names.values())) == len(names)
        changed = {each["matcher"]["options"] for each in panel["fieldConfig"]["overrides"]}
        assert changed <= set(names.values()), panel["title"]


def test_every_result_has_a_panel() -> None:
    queries = " ".join(_dashboard_queries())
    asked = set(re.findall(r"\bsolrbench_[a-z0-9_]+", queries))
    assert {each.full_name for each in SWEEP_FAMILIES} <= asked
    asked |= {each.removesuffix("_bucket") for each in asked}
    assert {each.full_name for each in RESULT_FAMILIES} <= asked
    assert {each.full_name for each in LIVE_FAMILIES} <= asked


@pytest.mark.parametrize("number", range(len(BOARDS)))
def test_every_panel_has_a_place_of_its_own(number: int) -> None:
    taken: dict[tuple[int, int], str] = {}
    board = _dashboards()[number]
    for panel in board["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken.get((x, y)))
                taken[x, y] = panel["title"]
    identities = [each["id"] for each in board["panels"]]
    assert len(set(identities)) == len(identities)


def test_every_panel_asks_the_chosen_data_source() -> None:
    for panel in (each for board in _dashboards() for each in board["panels"]):
        for target in panel.get("targets", []):
            assert target["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def test_the_dashboard_is_found_by_the_sidecar() -> None:
    (config_map,) = of_kind("everything", "ConfigMap")
    assert config_map["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert config_map["metadata"]["annotations"] == {"grafana_folder": "Search"}
    assert of_kind("default", "ConfigMap") == []


def test_prometheus_keeps_the_namespace_of_the_benchmark() -> None:
    (monitor,) = of_kind("everything", "ServiceMonitor")
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint == {"port": "metrics", "interval": "10s", "honorLabels": True}
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    (service,) = of_kind("everything", "Service")
    picked = monitor["spec"]["selector"]["matchLabels"]
    assert picked.items() <= service["metadata"]["labels"].items()
    assert service["metadata"]["namespace"] == NAMESPACE


def test_alerts_reach_prometheus_unchanged() -> None:
    (rule,) = of_kind("everything", "PrometheusRule")
    assert rule["spec"] == yaml.safe_load(RULES.read_text())


@pytest.mark.parametrize("option", ["serviceMonitor", "prometheusRule"])
def test_a_missing_prometheus_operator_is_named(option: str) -> None:
    done = template("--set", f"metrics.{option}.enabled=true")
    assert done.returncode != 0
    assert f"metrics.{option}.enabled is true" in done.stderr
    assert "install the Prometheus Operator first" in done.stderr


def test_promtool_accepts_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    queries = [each for each in _dashboard_queries() if not each.startswith("label_values")]
    rules = [
        {"record": f"query:{place}", "expr": query.replace("$__rate_interval", "1m")}
        for place, query in enumerate(filter(None, queries))
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}), "utf-8")
    _check_rules(path)


def test_promtool_accepts_the_alerts() -> None:
    _check_rules(RULES)


def test_alerts_fire_and_end_as_their_runbooks_say(tmp_path: Path) -> None:
    tests = (Path(__file__).parent / "alerts.yaml").read_text("utf-8")
    path = tmp_path / "alerts.yaml"
    path.write_text(tests.replace("@RULES@", str(RULES)), "utf-8")
    done = promtool("test", "rules", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    names = [each["alert"] for each in _alerts()]
    assert [each for each in names if each not in tests] == []


def test_every_alert_has_a_runbook() -> None:
    page = (CHART.parents[1] / "docs" / "runbooks.md").read_text("utf-8")
    headings = re.findall(r"^## (\w+)$", page, re.MULTILINE)
    assert headings == [each["alert"] for each in _alerts()]
    for alert in _alerts():
        url = alert["annotations"]["runbook_url"]
        assert url.endswith(f"/docs/runbooks.md#{alert['alert'].lower()}")


def _alerts() -> list[dict[str, Any]]:
    return [each for each in _rules() if "alert" in each]


def _check_rules(path: Path) -> None:
    done = promtool("check", "rules", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
