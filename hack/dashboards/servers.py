"""What the servers did: a column for each figure of the telemetry that is a metric."""

from collections.abc import Callable, Iterator

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


def _columns(chosen: Callable[[str], bool]) -> Iterator[PanelColumn]:
    for field in result_fields(StepTelemetry):
        metric = field.shown.metric
        if metric is not None and chosen(metric.name):
            unit = _UNITS.get(field.shown.unit, "short")
            yield PanelColumn(_title(metric.name), of_step(f"step_{metric.name}"), unit)


def _title(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        shorter = name.removesuffix(suffix)
        if shorter != name:
            unit = ", bytes" if suffix == "_bytes" and not shorter.endswith("index") else ""
            return shorter.replace("_", " ") + unit
    return name.replace("_", " ")


def _table(title: str, text: str, chosen: Callable[[str], bool]) -> TablePanel:
    return TablePanel(title, text, 24, labels=STEP, columns=tuple(_columns(chosen)))


def _is_of_caches(name: str) -> bool:
    return name.startswith("solr_") and "_cache_" in name and not _is_of_pods(name)


def _is_of_pods(name: str) -> bool:
    return name.startswith(("solr_pod_", "zookeeper_pod_"))


def _is_of_other_pods(name: str) -> bool:
    return name.startswith(("companion_pod_", "load_pod_"))


def _is_of_index(name: str) -> bool:
    prefixes = ("index", "segments", "deleted", "merges")
    return name.startswith(tuple(f"solr_{prefix}" for prefix in prefixes))


def _is_of_solr(name: str) -> bool:
    others = _is_of_caches(name) or _is_of_pods(name) or _is_of_index(name)
    return name.startswith("solr_") and not others


def _is_of_machines(name: str) -> bool:
    return name.startswith(("machine_", "zookeeper_")) and not _is_of_pods(name)


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
        _table(
            "Solr by step",
            "Means over the repeats: sums over the nodes, shares of the worst one.",
            _is_of_solr,
        ),
        _table(
            "Caches and index by step",
            "Of all nodes together.",
            lambda name: _is_of_caches(name) or _is_of_index(name),
        ),
        _table(
            "Pods by step",
            "Sums over the pods, shares of the worst one; absent unless load.telemetry.collect is"
            " ServersAndPods.",
            _is_of_pods,
        ),
        _table(
            "Pods of companions and load by step",
            "Sums over the pods, shares of the worst one; absent unless load.telemetry.collect is"
            " ServersAndPods.",
            _is_of_other_pods,
        ),
        _table(
            "ZooKeeper and machines by step",
            "Of all ZooKeeper servers, but outstanding requests of the worst one; of the busiest"
            " machine that is read.",
            _is_of_machines,
        ),
    ),
)
