"""What the servers did, as the numbers of the status: of one step run, then of a whole step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import stdev
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.conditions import Unit, result_fields
from solrbench.api.v1alpha1.server_metrics import MAX_MISSING, StepTelemetry
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.server_document import CACHES, Spread
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.number_format import round_number

PEER_METRICS = ("cpu_percent", "request_milliseconds", "shard_request_milliseconds")
"""Figures by which a node is compared with its peers."""


@dataclass(frozen=True)
class RunTelemetry:
    """What the servers did in one step run, in as little memory as rules and status need.

    Attributes:
        figures: numbers by the names of `StepTelemetry`, and those that only rules read
        servers: the server that shows a figure most, by its name
        peers: how figures are spread over the nodes, by the name of the figure
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    peers: Mapping[str, Spread] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


_WORST = {
    "cpu_percent": "cpu_percent",
    "gc_percent": "gc_percent",
    "gc_per_second": "gc_count",
    "heap_used_max_percent": "heap_used_max_percent",
    "heap_after_gc_max_percent": "heap_after_gc_max_percent",
    "heap_after_gc_max_bytes": "heap_after_gc_max_bytes",
    "threads_blocked": "threads_blocked_mean",
    "threads_runnable": "threads_runnable_mean",
    "jetty_busy_max_percent": "jetty_busy_max_percent",
    "jetty_queue_max": "jetty_queue_max",
    "system_cpu_percent": "system_cpu_mean_percent",
    "cpus": "cpus",
}
"""Figures of the worst node."""

_SUMS = {
    "cpu_cores": "cpu_seconds",
    "index_bytes": "index_bytes",
    "segments": "segments",
    "deleted_documents": "deleted_documents",
    "merges_per_second": "merges",
    "solr_requests_per_second": "requests",
}
"""Figures added over all nodes."""


def run_telemetry(document: StepRunResult) -> RunTelemetry | None:
    """Return what the servers did in a step run; None if telemetry was turned off."""
    telemetry = document.telemetry
    if telemetry is None:
        return None
    solr = _by_metric(telemetry.spreads, "solr")
    zookeeper = _by_metric(telemetry.spreads, "zookeeper")
    figures = {name: solr[key].highest for name, key in _WORST.items() if key in solr}
    figures |= {name: solr[key].total for name, key in _SUMS.items() if key in solr}
    figures |= _of_requests(document, solr) | _hit_percents(solr) | _of_zookeeper(zookeeper)
    figures |= _of_pods(telemetry.spreads, figures) | _of_other_pods(telemetry.spreads)
    if telemetry.handlers:
        figures["request_errors"] = sum(each.errors for each in telemetry.handlers)
    if solr:
        figures["nodes"] = max(each.servers for each in solr.values())
    servers = {name: solr[key].highest_server for name, key in _WORST.items() if key in solr}
    pods = _by_metric(telemetry.spreads, "solr-pods")
    servers |= {name: pods[key].highest_server for name, key in _OF_PODS.items() if key in pods}
    companions = _by_metric(telemetry.spreads, "companion-pods")
    if "throttled_percent" in companions:
        servers["companion_throttled_percent"] = companions["throttled_percent"].highest_server
    if "outstanding_requests_max" in zookeeper:
        servers["zookeeper"] = zookeeper["outstanding_requests_max"].highest_server
    peers = {name: solr[name] for name in PEER_METRICS if name in solr}
    return RunTelemetry(figures, servers, peers, tuple(telemetry.missing))


def _by_metric(spreads: Mapping[str, Sequence[Spread]], kind: str) -> dict[str, Spread]:
    """Return how the figures of a kind of servers are spread, by their names."""
    return {spread.figure: spread for spread in spreads.get(kind, ())}


def _of_requests(document: StepRunResult, solr: Mapping[str, Spread]) -> dict[str, float]:
    fields: dict[str, float] = {}
    if "cpu_seconds" in solr and "requests" in solr and solr["requests"].total:
        each = solr["cpu_seconds"].total / solr["requests"].total
        fields["cpu_milliseconds_per_request"] = 1000 * each
    if "shard_request_seconds" in solr and "requests" in solr and solr["requests"].total:
        each = solr["shard_request_seconds"].total / solr["requests"].total
        fields["shard_milliseconds_per_request"] = 1000 * each
    if "request_milliseconds" in solr:
        fields["solr_milliseconds"] = solr["request_milliseconds"].median
    counts = sum_counts(each for each in document.requests if not each.is_transaction)
    if counts.requests:
        fields["client_milliseconds"] = counts.sum_microseconds / counts.requests / 1000
    return fields


_OF_PODS = {
    "throttled_percent": "throttled_percent",
    "cpu_limit_percent": "cpu_limit_percent",
    "cpu_some_percent": "cpu_some_percent",
    "memory_full_percent": "memory_full_percent",
    "memory_some_percent": "memory_some_percent",
    "io_some_percent": "io_some_percent",
    "io_full_percent": "io_full_percent",
    "memory_used_max_percent": "memory_used_max_percent",
    "working_set_max_percent": "working_set_max_percent",
    "working_set_max_bytes": "working_set_max_bytes",
    "major_faults_per_second": "major_faults",
}
"""Figures of the worst pod of Solr."""

_OF_MACHINES = {
    "machine_cpu_percent": "cpu_busy_percent",
    "machine_steal_percent": "steal_percent",
    "machine_cpu_some_percent": "cpu_some_percent",
    "machine_page_cache_bytes": "page_cache_bytes",
    "machine_io_some_percent": "io_some_percent",
    "machine_memory_full_percent": "memory_full_percent",
}
"""Figures of the worst machine."""


_SUMS_OF_PODS = {
    "page_cache_bytes": "page_cache_bytes",
    "pod_cpu_user_cores": "cpu_user_seconds",
    "pod_cpu_system_cores": "cpu_system_seconds",
    "read_bytes_per_second": "read_bytes",
    "written_bytes_per_second": "written_bytes",
    "reads_per_second": "reads",
    "writes_per_second": "writes",
    "network_bytes_per_second": "network_sent_bytes",
    "network_received_bytes_per_second": "network_received_bytes",
}
"""Figures added over all pods of Solr."""


_OTHER_PODS = ("zookeeper", "companion", "load")
_OF_OTHER_PODS = (
    "throttled_percent",
    "cpu_some_percent",
    "working_set_max_bytes",
)
"""Figures of the worst pod."""

_SUMS_OF_OTHER_PODS = {
    "cpu_cores": "cpu_seconds",
    "network_bytes_per_second": "network_sent_bytes",
}
"""Figures added over all pods."""


def _of_other_pods(spreads: Mapping[str, Sequence[Spread]]) -> dict[str, float]:
    """Return the figures of all pods but those of Solr, by their component."""
    fields: dict[str, float] = {}
    for component in _OTHER_PODS:
        pods = _by_metric(spreads, f"{component}-pods")
        fields |= {f"{component}_{key}": pods[key].highest for key in _OF_OTHER_PODS if key in pods}
        sums = {name: pods[key] for name, key in _SUMS_OF_OTHER_PODS.items() if key in pods}
        fields |= {f"{component}_{name}": spread.total for name, spread in sums.items()}
    return fields


def _of_pods(
    spreads: Mapping[str, Sequence[Spread]], known: Mapping[str, float]
) -> dict[str, float]:
    pods = _by_metric(spreads, "solr-pods")
    machines = _by_metric(spreads, "machines")
    fields = {name: pods[key].highest for name, key in _OF_PODS.items() if key in pods}
    fields |= {name: machines[key].highest for name, key in _OF_MACHINES.items() if key in machines}
    fields |= {name: pods[key].total for name, key in _SUMS_OF_PODS.items() if key in pods}
    rate = known.get("solr_requests_per_second")
    if rate:
        for name, figure in (
            ("read_bytes_per_request", "read_bytes"),
            ("reads_per_request", "reads"),
        ):
            if figure in pods:
                fields[name] = pods[figure].total / rate
    return fields


_OF_CACHES = {
    "cache_inserts_per_second": "_cache_inserts",
    "cache_evictions_per_second": "_cache_evictions",
    "cache_entries": "_cache_entries",
}
"""Figures added over all caches, and what the names of their parts end with."""


def _hit_percents(solr: Mapping[str, Spread]) -> dict[str, float]:
    hit_percents: dict[str, float] = {}
    for figure, end in _OF_CACHES.items():
        numbers = [spread.total for name, spread in solr.items() if name.endswith(end)]
        if numbers:
            hit_percents[figure] = sum(numbers)
    for cache in CACHES.values():
        lookups, hits = solr.get(f"{cache}_lookups"), solr.get(f"{cache}_hits")
        if lookups is not None and hits is not None and lookups.total > 0:
            hit_percents[f"{cache}_hit_percent"] = 100 * hits.total / lookups.total
    return hit_percents


def _of_zookeeper(zookeeper: Mapping[str, Spread]) -> dict[str, float]:
    fields: dict[str, float] = {}
    served = sum(zookeeper[name].total for name in ("reads", "updates") if name in zookeeper)
    if served > 0:
        spent = sum(
            zookeeper[name].total
            for name in ("read_seconds", "update_seconds")
            if name in zookeeper
        )
        fields["zookeeper_latency_milliseconds"] = 1000 * spent / served
        fields["zookeeper_requests_per_second"] = served
    if "outstanding_requests_max" in zookeeper:
        fields["zookeeper_outstanding_max"] = zookeeper["outstanding_requests_max"].highest
    for name in ("watches", "connections"):
        if name in zookeeper:
            fields[f"zookeeper_{name}"] = zookeeper[name].total
    return fields


_FIELDS = [each.name for each in result_fields(StepTelemetry) if each.shown.unit is not Unit.NONE]
"""The numbers of the status."""


def merge_telemetry(
    spec: Spec, runs: Iterable[tuple[StepRunResult, RunTelemetry | None]]
) -> list[StepTelemetry]:
    """Return one entry for each step and variant whose servers were read, in their order."""
    by_step: dict[tuple[str, str], list[RunTelemetry]] = {}
    for document, telemetry in runs:
        if telemetry is not None:
            by_step.setdefault((document.step, document.variant), []).append(telemetry)
    return [
        _merge(step.name, variant, by_step[step.name, variant])
        for step in spec.load.steps
        for variant in variant_names(spec)
        if (step.name, variant) in by_step
    ]


_READS = "reads_per_request"


def _merge(step: str, variant: str, runs: Sequence[RunTelemetry]) -> StepTelemetry:
    numbers: dict[str, Any] = {}
    for name in _FIELDS:
        known = [run.figures[name] for run in runs if name in run.figures]
        if known:
            mean = sum(known) / len(known)
            numbers[name] = round(mean) if name == "nodes" else round_number(mean)
    reads = [run.figures[_READS] for run in runs if _READS in run.figures]
    if len(reads) > 1:
        numbers["reads_deviation"] = round_number(stdev(reads))
    missing = dict.fromkeys(text for run in runs for text in run.missing)
    return StepTelemetry(
        step=step, variant=variant or None, missing=list(missing)[:MAX_MISSING], **numbers
    )
