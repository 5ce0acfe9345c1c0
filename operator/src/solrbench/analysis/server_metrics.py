"""What the servers did, as the numbers of the status: of one step run, then of a whole step."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import stdev
from typing import Any, TypeVar

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.conditions import StatusModel
from solrbench.api.v1alpha1.server_metrics import MAX_MISSING, StepTelemetry
from solrbench.api.v1alpha1.step_details import MAX_VISIBILITY, StepVisibility
from solrbench.api.v1alpha1.step_result import PercentileResult
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.server_document import CACHES, Spread, Telemetry, VisibilityResult
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.distributions import SamplePercentile, sample_percentile
from solrbench.stats.number_format import round_number

T = TypeVar("T")

PEER_METRICS = ("cpu_percent", "request_milliseconds", "shard_request_milliseconds")
"""Figures by which a node is compared with its peers."""


@dataclass(frozen=True)
class RunTelemetry:
    """What the servers did in a step run, or while indexing, in as little memory as rules need.

    Attributes:
        figures: numbers by the names of `StepTelemetry`, and those that only rules read
        servers: the server that shows a figure most, by its name
        peers: how figures are spread over the nodes, by the name of the figure
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    peers: Mapping[str, Spread] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def _alike(*names: str) -> dict[str, str]:
    """Return figures that have one name in status and telemetry."""
    return dict(zip(names, names, strict=True))


_OF_OTHER_PODS = {
    "highest": _alike("throttled_percent", "cpu_some_percent", "working_set_max_bytes"),
    "total": {"cpu_cores": "cpu_seconds", "network_bytes_per_second": "network_sent_bytes"},
}
_FIGURES_OF = {
    ("solr", "highest"): {
        **_alike("cpu_percent", "cpus", "gc_percent", "heap_used_max_percent"),
        **_alike("heap_after_gc_max_percent", "heap_after_gc_max_bytes"),
        **_alike("jetty_busy_max_percent", "jetty_queue_max", "pending_documents_max"),
        "gc_per_second": "gc_count",
        "threads_blocked": "threads_blocked_mean",
        "threads_runnable": "threads_runnable_mean",
        "system_cpu_percent": "system_cpu_mean_percent",
    },
    ("solr", "median"): {"solr_milliseconds": "request_milliseconds"},
    ("solr", "total"): {
        "cpu_cores": "cpu_seconds",
        **_alike("index_bytes", "segments", "deleted_documents"),
        "merges_per_second": "merges",
        "updates_per_second": "updates",
        "commits_per_second": "commits",
        "soft_auto_commits_per_second": "soft_auto_commits",
        "solr_requests_per_second": "requests",
    },
    # What the threads of a node do with updates, which is read while indexing.
    ("solr-threads", "highest"): {
        "merge_stalled_percent": "merge_stalled_mean_percent",
        "flush_stalled_percent": "flush_stalled_mean_percent",
    },
    ("solr-threads", "total"): {
        "merge_threads": "merge_threads_mean",
        "update_threads": "update_threads_mean",
    },
    ("solr-pods", "highest"): {
        **_alike("throttled_percent", "cpu_limit_percent", "cpu_some_percent"),
        **_alike("memory_full_percent", "memory_some_percent", "memory_used_max_percent"),
        **_alike("io_some_percent", "io_full_percent"),
        **_alike("working_set_max_percent", "working_set_max_bytes"),
        "major_faults_per_second": "major_faults",
    },
    ("solr-pods", "total"): {
        "page_cache_bytes": "page_cache_bytes",
        "pod_cpu_user_cores": "cpu_user_seconds",
        "pod_cpu_system_cores": "cpu_system_seconds",
        "read_bytes_per_second": "read_bytes",
        "written_bytes_per_second": "written_bytes",
        "reads_per_second": "reads",
        "writes_per_second": "writes",
        "network_bytes_per_second": "network_sent_bytes",
        "network_received_bytes_per_second": "network_received_bytes",
    },
    ("machines", "highest"): {
        "machine_cpu_percent": "cpu_busy_percent",
        "machine_steal_percent": "steal_percent",
        "machine_cpu_some_percent": "cpu_some_percent",
        "machine_page_cache_bytes": "page_cache_bytes",
        "machine_io_some_percent": "io_some_percent",
        "machine_memory_full_percent": "memory_full_percent",
    },
    ("zookeeper", "highest"): {"zookeeper_outstanding_max": "outstanding_requests_max"},
    ("zookeeper", "total"): {
        "zookeeper_watches": "watches",
        "zookeeper_connections": "connections",
    },
    **{
        (f"{kind}-pods", number): {f"{kind}_{name}": key for name, key in names.items()}
        for kind in ("zookeeper", "companion", "load")
        for number, names in _OF_OTHER_PODS.items()
    },
}
"""Kind of servers and which number of their spread: that of the worst one, or the sum of all; then
each figure's name in the status, and in telemetry."""

_NAMED = {"solr", "solr-threads", "solr-pods", "companion-pods", "zookeeper"}
"""Kinds of servers of which rules name the one that shows a figure most."""

_PER_REQUEST = {
    "cpu_milliseconds_per_request": ("solr", "cpu_seconds", 1000),
    "shard_milliseconds_per_request": ("solr", "shard_request_seconds", 1000),
    "read_bytes_per_request": ("solr-pods", "read_bytes", 1),
    "reads_per_request": ("solr-pods", "reads", 1),
}
"""Figures for each query: kind of servers, name in telemetry, and a factor to the figure's unit."""

_CACHE_SUMS = {
    "cache_inserts_per_second": "_cache_inserts",
    "cache_evictions_per_second": "_cache_evictions",
    "cache_entries": "_cache_entries",
}
"""Figures added over all caches, and what the names of their parts end with."""


def run_telemetry(document: StepRunResult) -> RunTelemetry | None:
    """Return what the servers did in a step run; None if telemetry was turned off."""
    if document.telemetry is None:
        return None
    found = read_telemetry(document.telemetry)
    counts = sum_counts(document.single_requests)
    if not counts.requests:
        return found
    client = {"client_milliseconds": counts.sum_microseconds / counts.requests / 1000}
    return replace(found, figures={**found.figures, **client})


def read_telemetry(telemetry: Telemetry) -> RunTelemetry:
    """Return the numbers of the status and of the rules, and which server shows them most."""
    spreads = {
        kind: {spread.figure: spread for spread in known}
        for kind, known in telemetry.spreads.items()
    }
    solr = spreads.get("solr", {})
    figures: dict[str, float] = {
        name: getattr(spreads[kind][key], number)
        for (kind, number), names in _FIGURES_OF.items()
        for name, key in names.items()
        if key in spreads.get(kind, {})
    }
    figures |= _of_caches(solr) | _of_zookeeper(spreads.get("zookeeper", {}))
    if rate := figures.get("solr_requests_per_second"):
        figures |= {
            name: factor * spreads[kind][key].total / rate
            for name, (kind, key, factor) in _PER_REQUEST.items()
            if key in spreads.get(kind, {})
        }
    if telemetry.handlers:
        figures["request_errors"] = sum(each.errors for each in telemetry.handlers)
    if solr:
        # A figure that only some nodes have shows fewer of them.
        figures["nodes"] = max(each.servers for each in solr.values())
    servers = {
        name: spreads[kind][key].highest_server
        for (kind, number), names in _FIGURES_OF.items()
        for name, key in names.items()
        if number == "highest" and kind in _NAMED and key in spreads.get(kind, {})
    }
    peers = {name: solr[name] for name in PEER_METRICS if name in solr}
    return RunTelemetry(figures, servers, peers, tuple(telemetry.missing))


def _of_caches(solr: Mapping[str, Spread]) -> dict[str, float]:
    fields: dict[str, float] = {}
    for name, end in _CACHE_SUMS.items():
        if parts := [spread.total for key, spread in solr.items() if key.endswith(end)]:
            fields[name] = sum(parts)
    for cache in CACHES.values():
        lookups, hits = solr.get(f"{cache}_lookups"), solr.get(f"{cache}_hits")
        if lookups is not None and hits is not None and lookups.total > 0:
            fields[f"{cache}_hit_percent"] = 100 * hits.total / lookups.total
    return fields


def _of_zookeeper(zookeeper: Mapping[str, Spread]) -> dict[str, float]:
    served = sum(zookeeper[name].total for name in ("reads", "updates") if name in zookeeper)
    if served <= 0:
        return {}
    times = ("read_seconds", "update_seconds")
    spent = sum(zookeeper[name].total for name in times if name in zookeeper)
    return {
        "zookeeper_latency_milliseconds": 1000 * spent / served,
        "zookeeper_requests_per_second": served,
    }


def mean_figures(model: type[StatusModel], runs: Sequence[RunTelemetry]) -> dict[str, Any]:
    """Return the numbers of a model of the status that any run has: means over those that do."""
    numbers: dict[str, Any] = {}
    for name in model.model_fields:
        known = [run.figures[name] for run in runs if name in run.figures]
        if known:
            mean = sum(known) / len(known)
            numbers[name] = round(mean) if name == "nodes" else round_number(mean)
    return numbers


def merge_telemetry(
    spec: Spec, runs: Iterable[tuple[StepRunResult, RunTelemetry | None]]
) -> list[StepTelemetry]:
    """Return one entry for each step and variant whose servers were read, in their order."""
    known = ((document, telemetry) for document, telemetry in runs if telemetry is not None)
    return [_merge(step, variant, own) for step, variant, own in group_by_step(spec, known)]


def group_by_step(
    spec: Spec, items: Iterable[tuple[StepRunResult, T]]
) -> Iterator[tuple[str, str, list[T]]]:
    """Yield what belongs to the step runs of each step and variant, in the order of the ladder."""
    groups: dict[tuple[str, str], list[T]] = {}
    for document, item in items:
        groups.setdefault((document.step, document.variant), []).append(item)
    for step in spec.load.steps:
        for variant in variant_names(spec):
            if (step.name, variant) in groups:
                yield step.name, variant, groups[step.name, variant]


def _merge(step: str, variant: str, runs: Sequence[RunTelemetry]) -> StepTelemetry:
    numbers = mean_figures(StepTelemetry, runs)
    # The bend of reads over the sizes of an index is tested by the spread of repeats.
    name = "read_bytes_per_request"
    reads = [run.figures[name] for run in runs if name in run.figures]
    if len(reads) > 1:
        numbers["read_bytes_deviation"] = round_number(stdev(reads))
    missing = dict.fromkeys(text for run in runs for text in run.missing)
    return StepTelemetry(
        step=step, variant=variant or None, missing=list(missing)[:MAX_MISSING], **numbers
    )


VISIBILITY_PERCENTS = (50.0, 95.0, 99.0)
_ERROR_SHARE = 0.95


def merge_visibility(spec: Spec, documents: Iterable[StepRunResult]) -> list[StepVisibility]:
    """Return an entry for each step, variant and replica type, over all repeats."""
    found = ((document, each) for document in documents for each in document.visibility)
    merged = []
    for step, variant, results in group_by_step(spec, found):
        for kind in dict.fromkeys(each.replica_type for each in results):
            own = [each for each in results if each.replica_type == kind]
            merged.append(_merge_visibility(step, variant, kind, own))
    return merged[:MAX_VISIBILITY]


def _merge_visibility(
    step: str, variant: str, kind: str, results: list[VisibilityResult]
) -> StepVisibility:
    times = [*_times(results)]
    found = [(time, error) for time, error in times if math.isfinite(time)]
    errors = sorted(error for _, error in found)
    error = errors[math.ceil(_ERROR_SHARE * len(errors)) - 1] if any(errors) else None
    return StepVisibility(
        step=step,
        variant=variant or None,
        replica_type=kind or None,
        documents=sum(each.documents for each in results),
        not_found=sum(each.not_found for each in results),
        percentiles=[
            PercentileResult(
                percent=percent,
                milliseconds=round_number(value),
                lower_milliseconds=_stored(lower),
                upper_milliseconds=_stored(upper),
            )
            for percent, (value, lower, upper) in _percentiles(times, VISIBILITY_PERCENTS)
            if math.isfinite(value)
        ],
        max_milliseconds=max((time for time, _ in found), default=None),
        error_milliseconds=None if error is None else round_number(error),
        problem=next((each.problem for each in results if each.problem), None),
    )


_MAX_TIMES = 100_000
"""Of a step run and type of replica: fifty times those that are stored. A stored number may be
anything; of more that were not found, even the lowest percentile that is shown is unknown."""


def _times(results: Iterable[VisibilityResult]) -> Iterator[tuple[float, float]]:
    """Yield milliseconds, infinite of what was not found, and by how much each may be wrong."""
    for each in results:
        yield from zip(each.milliseconds, each.errors, strict=True)
        # Of very many times a part is kept, so that what was not found counts by the same part.
        part = len(each.milliseconds) / each.documents if each.documents else 1.0
        missing = min(math.ceil(part * each.not_found), _MAX_TIMES)
        yield from itertools.repeat((math.inf, 0.0), missing)


def _percentiles(
    times: Sequence[tuple[float, float]], percents: Iterable[float]
) -> Iterator[tuple[float, SamplePercentile]]:
    """Yield percentiles with their intervals, nothing without a time.

    A document that was not found took longer than all others: a percentile, or bound, beyond the
    share of those that were found is infinite.
    """
    # The k-th time in truth lies between the k-th of the earliest and of the latest times, so that
    # the interval also holds what a replica that is asked now and then cannot show.
    earliest = sorted(max(time - error, 0.0) for time, error in times)
    latest = sorted(time + error for time, error in times)
    ordered = sorted(time for time, _ in times)
    for percent in percents if times else ():
        place, lower, upper = sample_percentile(range(len(times)), percent)
        yield (
            percent,
            SamplePercentile(
                ordered[int(place)],
                None if lower is None else earliest[int(lower)],
                None if upper is None else latest[int(upper)],
            ),
        )


def _stored(bound: float | None) -> float | None:
    return None if bound is None or math.isinf(bound) else round_number(bound)


def slowest_percentile(
    results: Iterable[VisibilityResult], percent: float
) -> SamplePercentile | None:
    """Return a percentile of the times of the replica type that took longest; None without any.

    It is infinite if more documents were not found in time than may be beyond it.
    """
    times: dict[str, list[tuple[float, float]]] = {}
    for each in results:
        times.setdefault(each.replica_type, []).extend(_times([each]))
    found = [each for own in times.values() for _, each in _percentiles(own, [percent])]
    return max(found, key=lambda each: (each.value, each.lower or 0.0), default=None)
