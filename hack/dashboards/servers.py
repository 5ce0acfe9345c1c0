"""What the servers did: a column for each figure of the telemetry that is a metric."""

from hack.dashboards import panels
from hack.dashboards.boards import Row
from hack.dashboards.panels import PanelColumn, TablePanel
from hack.dashboards.queries import STEP, of_step
from solrbench.api.v1alpha1.conditions import Unit, result_fields
from solrbench.api.v1alpha1.server_metrics import StepTelemetry

_UNITS: dict[Unit, panels.Unit] = {
    Unit.PERCENT: "percentunit",
    Unit.MILLISECONDS: "s",
    Unit.SECONDS: "s",
    Unit.BYTES: "bytes",
    Unit.BYTES_PER_SECOND: "Bps",
}
_PREFIXES = ("solr_pod_", "solr_")
_SUFFIXES = ("_seconds", "_bytes", "_ratio")


def _table_of(name: str) -> str:
    """Return which table shows a metric."""
    if name.startswith(("solr_pod_", "zookeeper_pod_")):
        return "Pods"
    if name.startswith(("companion_pod_", "load_pod_")):
        return "Pods of companions and load"
    if not name.startswith("solr_"):
        return "ZooKeeper and machines"
    of_index = ("solr_index", "solr_segments", "solr_deleted", "solr_merges")
    return "Caches and index" if "_cache_" in name or name.startswith(of_index) else "Solr"


def _title(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        shorter = name.removesuffix(suffix)
        if shorter != name:
            unit = ", bytes" if suffix == "_bytes" and not shorter.endswith("index") else ""
            return shorter.replace("_", " ") + unit
    return name.replace("_", " ")


def _table(title: str, text: str) -> TablePanel:
    columns = [
        PanelColumn(_title(name), of_step(f"step_{name}"), _UNITS.get(field.shown.unit, "short"))
        for field in result_fields(StepTelemetry)
        if field.shown.metric and _table_of(name := field.shown.metric.name) == title
    ]
    return TablePanel(f"{title} by step", text, 24, labels=STEP, columns=tuple(columns))


_OF_PODS = (
    "Sums over the pods, shares of the worst one; absent unless load.telemetry.collect is"
    " ServersAndPods."
)

SERVERS = Row(
    "Servers",
    (
        TablePanel(
            "Bottleneck by step",
            "What held each step back; None if nothing is saturated, Inconclusive if repeats do not"
            " agree.",
            24,
            6,
            labels=(*STEP, "resource"),
            columns=(PanelColumn("Found", of_step("step_bottleneck")),),
        ),
        _table("Solr", "Means over the repeats: sums over the nodes, shares of the worst one."),
        _table("Caches and index", "Of all nodes together."),
        _table("Pods", _OF_PODS),
        _table("Pods of companions and load", _OF_PODS),
        _table(
            "ZooKeeper and machines",
            "Of all ZooKeeper servers, but outstanding requests of the worst one; of the busiest"
            " machine that is read.",
        ),
    ),
)
