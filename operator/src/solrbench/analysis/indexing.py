"""What Solr did while the dataset was indexed, what held it back, and whether the rate is Solr's.

The rules are those of steps, where these are not about queries, and two of indexing itself: merges,
and the index client. Indexing is one run, so that no repeats can agree; too few readings are
Inconclusive instead.
"""

from collections.abc import Callable, Iterator

from solrbench.analysis import bottleneck_rules as rules
from solrbench.analysis.bottleneck import HINTS, MAX_MESSAGE, describe_bottleneck
from solrbench.analysis.bottleneck_evidence import (
    MAX_THROTTLED_PERCENT,
    BottleneckInput,
    Symptom,
    above,
)
from solrbench.analysis.server_metrics import RunTelemetry, read_telemetry
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.conditions import Unit, result_fields
from solrbench.api.v1alpha1.findings import Bottleneck, InvalidReason, Resource
from solrbench.api.v1alpha1.server_metrics import (
    MAX_INDEXING_POINTS,
    MAX_INDEXING_SERIES,
    MAX_MISSING,
    IndexingSeries,
    IndexingTelemetry,
)
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.server_document import Telemetry
from solrbench.stats.number_format import format_number, format_percent, round_number

INDEXING = "indexing"
"""What stands in place of a step's name."""

INDEX_CLIENT_LIMITS = "IndexClientLimits"

MIN_WAITING_PERCENT = 60.0
"""Streams that wait for Solr less are kept from sending by reading and preparing documents."""

MAX_CLIENT_CORES = 0.85
"""An index pod reads and sends in one process, whose threads take turns on one core."""

MAX_MERGE_STALLED_PERCENT = 20.0
MAX_FLUSH_STALLED_PERCENT = 20.0
MIN_READINGS = 5
"""Fewer say little of the share of updates that wait: each sees one moment."""


def find_merges(run: BottleneckInput) -> Symptom | None:
    """Apply if updates wait for merges, or until a segment is written."""
    merging = run.figure("merge_threads")
    beside = "" if merging is None else f", with {format_number(merging)} threads merging"
    what = f"{{}} of the updates under way waited for merges{beside}"
    return above(run, "merge_stalled_percent", MAX_MERGE_STALLED_PERCENT, what) or above(
        run,
        "flush_stalled_percent",
        MAX_FLUSH_STALLED_PERCENT,
        "{} of the updates under way waited until segments were written",
    )


RULES: tuple[tuple[Resource, Callable[[BottleneckInput], Symptom | None]], ...] = (
    (Resource.THROTTLING, rules.find_throttling),
    (Resource.MEMORY, rules.find_memory),
    (Resource.GARBAGE_COLLECTION, rules.find_garbage_collection),
    # Updates wait in them whether disk or CPU makes merges slow: before what is merely used.
    (Resource.MERGES, find_merges),
    (Resource.CPU, rules.find_cpu),
    (Resource.DISK, rules.find_disk),
    (Resource.ONE_NODE, rules.find_one_node),
    (Resource.MACHINE, rules.find_machine),
)


def find_client_limit(dataset: DatasetStatus, pods: int) -> Symptom | None:
    """Return why the index pods, not Solr, were the limit; None if they were not, or are unknown.

    Their streams do nothing but send and wait for Solr: where they wait little, documents came too
    slowly.
    """
    used, waiting = dataset.pods, dataset.waiting_percent
    if used is not None and (used.throttled_percent or 0.0) > MAX_THROTTLED_PERCENT:
        limit = format_percent(MAX_THROTTLED_PERCENT)
        stopped = format_percent(used.throttled_percent or 0.0)
        return Symptom(
            f"the CPU limit stopped an index pod in {stopped} of the time (limit {limit})"
        )
    if waiting is not None and waiting < MIN_WAITING_PERCENT:
        return Symptom(
            f"the index pods waited for Solr in {format_percent(waiting)} of the time (at least"
            f" {format_percent(MIN_WAITING_PERCENT)}), reading and preparing documents in the rest"
        )
    cores = None if used is None or used.cpu_cores is None else used.cpu_cores / pods
    if cores is not None and cores > MAX_CLIENT_CORES:
        return Symptom(
            f"each index pod used {format_number(cores)} cores (limit {MAX_CLIENT_CORES:g}: one"
            " process prepares and sends)"
        )
    return None


def conclude_indexing(
    dataset: DatasetStatus, pods: int, telemetry: Telemetry | None
) -> DatasetStatus:
    """Return the status with what Solr did, the bottleneck and the verdict, after all pods ended.

    Without `telemetry`, which may have been turned off, only the index client is checked.
    """
    client = find_client_limit(dataset, pods)
    changes: dict[str, object] = {"verdict": "Valid", "reasons": []}
    if client is not None:
        field = HINTS[Resource.INDEX_CLIENT][1]
        text = f"{client.text}, so the rate is not that of Solr; raise {field} or their resources"
        reason = InvalidReason(reason=INDEX_CLIENT_LIMITS, message=text)
        changes = {"verdict": "Invalid", "reasons": [reason]}
    if telemetry is not None:
        servers = read_telemetry(telemetry)
        read = telemetry.solr[0] if telemetry.solr else None
        changes |= {
            "solr": _figures(servers, 0.0 if read is None else read.seconds),
            "series": _series(telemetry),
            "bottleneck": find_indexing_bottleneck(
                servers, client, 0 if read is None else read.readings
            ),
        }
    return dataset.model_copy(update=changes)


def find_indexing_bottleneck(
    servers: RunTelemetry, client: Symptom | None, readings: int
) -> Bottleneck:
    """Return what held indexing back; `readings` is how often the nodes were read."""
    if client is not None:
        return _bottleneck(Resource.INDEX_CLIENT, Symptom(f"{INDEX_CLIENT_LIMITS}: {client.text}"))
    if readings < MIN_READINGS:
        times = f"{readings} times" if readings else "not at all"
        why = f" ({'; '.join(servers.missing)})" if servers.missing else ""
        text = f"inconclusive, as Solr was read {times}{why}; {MIN_READINGS} readings are needed"
        return Bottleneck(step=INDEXING, resource=Resource.INCONCLUSIVE, message=text[:MAX_MESSAGE])
    run = BottleneckInput(1, servers, {})
    for resource, find in RULES:
        symptom = find(run)
        if symptom is not None:
            return _bottleneck(resource, symptom)
    known = {
        "CPU of the busiest node": run.figure("cpu_percent"),
        "garbage collection": run.figure("gc_percent"),
        "updates that wait for merges": run.figure("merge_stalled_percent"),
        "waits for the disk": run.figure("io_some_percent"),
    }
    shown = (f"{name} {format_percent(each)}" for name, each in known.items() if each is not None)
    return Bottleneck(
        step=INDEXING,
        resource=Resource.NONE,
        message=f"no resource reached its limit ({', '.join(shown) or 'none was read'})",
        field="dataset.indexing.concurrency",
    )


def _bottleneck(resource: Resource, symptom: Symptom) -> Bottleneck:
    return Bottleneck(
        step=INDEXING,
        resource=resource,
        server=symptom.server,
        message=symptom.text[:MAX_MESSAGE],
        field=HINTS[resource][1],
    )


_FIELDS = [
    each.name
    for each in result_fields(IndexingTelemetry)
    if each.shown.unit is not Unit.NONE and each.name != "seconds"
]


def _figures(servers: RunTelemetry, seconds: float) -> IndexingTelemetry:
    known = {
        name: round(number) if name == "nodes" else round_number(number)
        for name in _FIELDS
        if (number := servers.figures.get(name)) is not None
    }
    missing = list(servers.missing)[:MAX_MISSING]
    return IndexingTelemetry(seconds=round_number(seconds), missing=missing, **known)


def _series(telemetry: Telemetry) -> list[IndexingSeries]:
    return [
        IndexingSeries(
            server=each.server,
            figure=each.figure,
            seconds=each.seconds[:MAX_INDEXING_POINTS],
            values=each.values[:MAX_INDEXING_POINTS],
        )
        for each in telemetry.series[:MAX_INDEXING_SERIES]
    ]


def answer_indexing(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what held indexing back, with its rate."""
    del spec
    found, rate = status.dataset.bottleneck, status.dataset.documents_per_second
    if found is not None and rate is not None:
        title = f"Indexing, {format_number(rate)} documents/s"
        yield describe_bottleneck(found.model_copy(update={"step": title}))
