"""The bottleneck of each step, and of indexing: the first rule that applies; what to change.

Of a step repeats must agree. Indexing is one run; its rules are those of steps, where these are not
about queries, and two of its own: merges, and the index client. Too few readings are Inconclusive.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from solrbench.analysis import bottleneck_rules as rules
from solrbench.analysis.bottleneck_evidence import (
    MAX_THROTTLED_PERCENT,
    BottleneckInput,
    Symptom,
    above,
    found_by_verdict,
    pod_of,
)
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.server_metrics import (
    RunTelemetry,
    group_by_step,
    mean_figures,
    read_telemetry,
)
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.dataset import Indexing
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
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import (
    count_noun,
    format_cores,
    format_number,
    format_percent,
    round_number,
)

# Not `ScheduleLag`, which says nothing of how much it matters beside the response times.
_OF_GENERATOR = ("PodThrottled", "WorkerSaturated", "DelayedByGenerator")

Rules = Sequence[tuple[Resource, Callable[[BottleneckInput], Symptom | None]]]

# Saturation comes before utilisation (Gregg, the USE method); the first rule that applies counts.
RULES: Rules = (
    # A load generator that delays requests makes all that the servers show worthless.
    (Resource.LOAD_GENERATOR, lambda run: found_by_verdict(run, *_OF_GENERATOR)),
    (Resource.THROTTLING, rules.find_throttling),
    # All else that a node shows may be the doing of others, but not that a pod meets its own limit.
    (Resource.MACHINE, lambda run: found_by_verdict(run, "OthersUseCpu")),
    (Resource.MEMORY, rules.find_memory),
    (Resource.GARBAGE_COLLECTION, rules.find_garbage_collection),
    (Resource.CPU, rules.find_cpu),
    (Resource.DISK, rules.find_disk),
    (Resource.ZOOKEEPER, rules.find_zookeeper),
    (Resource.ONE_NODE, rules.find_one_node),
    # Before what lies outside of Solr: requests wait there for one of Jetty's threads.
    (Resource.THREADS, rules.find_threads),
    (Resource.PROXY, rules.find_proxy),
    (Resource.NETWORK, rules.find_network),
    (Resource.MACHINE, rules.find_machine),
)

HINTS = {
    Resource.LOAD_GENERATOR: ("the load generator, not Solr", "load.workers"),
    Resource.THROTTLING: ("the CPU limit of a pod", "target.solrCloud.resources.limits.cpu"),
    Resource.MEMORY: ("memory", "target.solrCloud.resources.limits.memory"),
    Resource.GARBAGE_COLLECTION: ("garbage collection", "target.solrCloud.heap"),
    Resource.CPU: ("Solr's CPU", "target.solrCloud.nodes"),
    # Memory helps a disk: the page cache saves reads.
    Resource.DISK: ("the disk", "target.solrCloud.resources.limits.memory"),
    Resource.ZOOKEEPER: ("ZooKeeper", "target.solrCloud.zookeeper.replicas"),
    Resource.ONE_NODE: ("one overloaded node", "collection.shards"),
    Resource.PROXY: ("the proxy in front of Solr", "target.variants"),
    Resource.NETWORK: ("the network", "collection.shards"),
    Resource.THREADS: ("locks or thread limits", "target.solrCloud.nodes"),
    Resource.MACHINE: ("the machine's CPU", "target.solrCloud.nodes"),
    Resource.MERGES: ("merges of segments", "collection.shards"),
    Resource.INDEX_CLIENT: ("the index client, not Solr", "dataset.indexing.pods"),
    Resource.NONE: ("nothing", "load.steps"),
}
"""What each resource is called in a sentence, and which field to change next."""

MIN_AGREEING_REPEATS = 2
"""Repeats that must show the same: one may have had a neighbour on its machine."""

MAX_MESSAGE = 1024


@dataclass(frozen=True)
class RunBottleneck:
    """What one step run shows."""

    repeat: int
    resource: Resource
    symptom: Symptom


def find_bottlenecks(spec: Spec, runs: Iterable[EvaluatedRun]) -> list[Bottleneck]:
    """Return what held each step and variant back, for those whose servers were read.

    That none did is known only where Solr could be read: figures of the load are always there.
    """
    found = []
    for run in runs:
        document, servers = run.document, run.servers
        if servers is not None and servers.figures:
            behind, users = _behind_proxy(spec, document), document.users
            evidence = BottleneckInput(document.repeat, servers, run.findings, behind, users)
            in_run = find_bottleneck(evidence)
            read = (evidence.figure(each) for each in ("cpu_percent", "gc_percent"))
            if in_run.resource is not Resource.NONE or any(each is not None for each in read):
                found.append((document, in_run))
    return [_agree(step, variant, own) for step, variant, own in group_by_step(spec, found)]


def _behind_proxy(spec: Spec, document: StepRunResult) -> bool:
    """Return whether something may stand between load and Solr: only nodes are direct."""
    variant = next((each for each in spec.target.variants if each.name == document.variant), None)
    urls = variant and variant.urls
    if spec.target.existing is None:
        return bool(urls)
    known = document.target.pods if document.target is not None else {}
    nodes = {each.removesuffix("_solr") for each in known}
    hosts = {urlsplit(each).netloc for each in urls or spec.target.existing.urls or ()}
    return not hosts <= nodes


def find_bottleneck(run: BottleneckInput) -> RunBottleneck:
    """Return the first resource at its limit in one step run, or that there is none."""
    return _apply(RULES, run, {"heap after a collection": "heap_after_gc_max_percent"})


def _apply(rules: Rules, run: BottleneckInput, shown: Mapping[str, str]) -> RunBottleneck:
    """Return what the first rule finds; if none does, figures say so, further ones by `shown`."""
    for resource, find in rules:
        symptom = find(run)
        if symptom is not None:
            return RunBottleneck(run.repeat, resource, symptom)
    named = {"CPU of the busiest node": "cpu_percent", "garbage collection": "gc_percent", **shown}
    texts = [
        f"{name} {format_percent(value)}"
        for name, figure in named.items()
        if (value := run.figure(figure)) is not None
    ]
    text = f"no resource reached its limit ({', '.join(texts) or 'none was read'})"
    return RunBottleneck(run.repeat, Resource.NONE, Symptom(text))


_FIRST_OF = " in {} "
"""Between a symptom and the number of the first repeat, or round, that shows it: a status has no
room for a field of the symptom alone."""


def agree_over_rounds(rounds: Mapping[int, Sequence[Bottleneck]]) -> list[Bottleneck]:
    """Return what held each step and variant of a point back, of what its numbered rounds show."""
    by_step: dict[tuple[str, str], list[tuple[int, Bottleneck]]] = {}
    for number, found in rounds.items():
        for each in found:
            by_step.setdefault((each.step, each.variant or ""), []).append((number, each))
    # What a single round shows is known from its own repeats.
    return [
        own[0][1] if len(own) == 1 else _agree(*key, [_of_round(*each) for each in own], "round")
        for key, own in by_step.items()
    ]


def _of_round(number: int, found: Bottleneck) -> RunBottleneck:
    # Of several repeats of the round its message says, too, which of them agree.
    text = found.message.partition(_FIRST_OF.format("repeat"))[0]
    resource = Resource(found.suspected or found.resource)
    return RunBottleneck(number, resource, Symptom(text, found.server))


def _agree(
    step: str, variant: str, runs: Sequence[RunBottleneck], unit: str = "repeat"
) -> Bottleneck:
    resource, shown = Counter(run.resource for run in runs).most_common(1)[0]
    is_seen = shown >= MIN_AGREEING_REPEATS and 2 * shown > len(runs)
    fields: dict[str, Any] = {"resource": Resource.INCONCLUSIVE}
    if len(runs) < MIN_AGREEING_REPEATS and resource is not Resource.INCONCLUSIVE:
        text = runs[0].symptom.text
        fields |= {"suspected": resource, "server": runs[0].symptom.server}
    elif is_seen and resource is not Resource.INCONCLUSIVE:
        agreeing = [run for run in runs if run.resource is resource]
        first, servers = agreeing[0], {run.symptom.server for run in agreeing}
        where = f"{first.repeat}; {shown} of {len(runs)} {unit}s agree"
        text = f"{first.symptom.text}{_FIRST_OF.format(unit)}{where}"
        # Repeats that agree on the resource may still show it on different servers.
        server = servers.pop() if len(servers) == 1 else None
        fields = {"resource": resource, "server": server, "field": HINTS[resource][1]}
    else:
        seen = " ".join(f"{unit.title()} {e.repeat}: {e.symptom.text}." for e in runs[:3])
        text = f"inconclusive, as the {unit}s point to different resources. {seen}"
    return Bottleneck(step=step, variant=variant or None, message=text[:MAX_MESSAGE], **fields)


def describe_bottleneck(found: Bottleneck) -> str:
    """Return the bottleneck of a step, the numbers, and what to change next."""
    step = f"{found.step} ({found.variant})" if found.variant else found.step
    if found.suspected is not None:
        return (
            f"{step}: the bottleneck is not confirmed, because there is only one repeat."
            f" {_sentence_case(found.message)}. Set load.repeats.count to"
            f" {MIN_AGREEING_REPEATS} or more; the rounds of a sweep count, too."
        )
    if found.resource == Resource.INCONCLUSIVE:
        return f"{step}: the bottleneck is {found.message}"
    if found.resource == Resource.NONE:
        more = f"Add a step with more load to {found.field}"
        if found.field != HINTS[Resource.NONE][1]:
            more = f"Send more at once by {found.field}"
        return f"{step}: no bottleneck was found. {_sentence_case(found.message)}. {more}."
    pod = pod_of(found.server or "")
    server = f" of {pod}" if pod and pod not in found.message else ""
    what, _ = HINTS[Resource(found.resource)]
    # More nodes on the same machine add no CPU.
    needs_cpu = found.resource in (Resource.CPU, Resource.MACHINE)
    where = ", on CPUs that nothing else uses" if needs_cpu else ""
    hint = f" Change next: {found.field}{where}." if found.field else ""
    return f"{step}: the bottleneck is {what}{server}. {_sentence_case(found.message)}.{hint}"


def _sentence_case(text: str) -> str:
    """Return a text with its first letter as a capital, unless it begins with a name or number."""
    first, _, rest = text.partition(" ")
    return f"{first.capitalize()} {rest}" if first.isalpha() and first.islower() else text


INDEXING = "indexing"
"""What stands in place of a step's name."""

INDEX_CLIENT_LIMITS, INDEX_REPORT_LOST = "IndexClientLimits", "IndexReportLost"

MIN_WAITING_PERCENT = 60.0
"""Streams that wait for Solr less are kept from sending by reading and preparing documents."""

_FEW_BATCHES = 10
"""For each stream: with fewer, streams end for want of a batch, however fast documents are read."""

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
    what = f"{{}} of the updates that were running waited for merges{beside}"
    return above(run, "merge_stalled_percent", MAX_MERGE_STALLED_PERCENT, what) or above(
        run,
        "flush_stalled_percent",
        MAX_FLUSH_STALLED_PERCENT,
        "{} of the updates that were running waited until segments were written",
    )


INDEXING_RULES: Rules = (
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


def find_client_limit(dataset: DatasetStatus, indexing: Indexing) -> str | None:
    """Return why the index pods, not Solr, were the limit; None if they were not, or are unknown.

    Their streams do nothing but send and wait for Solr: where they wait little, documents came too
    slowly.
    """
    used, waiting = dataset.pods, dataset.waiting_percent
    if used is not None and (throttled := used.throttled_percent or 0.0) > MAX_THROTTLED_PERCENT:
        stopped, limit = format_percent(throttled), format_percent(MAX_THROTTLED_PERCENT)
        return f"the CPU limit stopped an index pod in {stopped} of the time (limit {limit})"
    streams, documents = indexing.pods * indexing.concurrency, dataset.documents
    is_short = documents is not None and documents < _FEW_BATCHES * streams * indexing.batch_size
    if waiting is not None and waiting < MIN_WAITING_PERCENT and not is_short:
        return (
            f"the index pods waited for Solr in {format_percent(waiting)} of the time (at least"
            f" {format_percent(MIN_WAITING_PERCENT)}), reading and preparing documents in the rest"
        )
    # A pod may have got no file: what the others used is not shared with it.
    sending = sum(1 for each in dataset.by_pod if each.documents) or indexing.pods
    cores = None if used is None or used.cpu_cores is None else used.cpu_cores / sending
    if cores is not None and cores > MAX_CLIENT_CORES:
        return (
            f"each index pod used {format_cores(cores)} (limit {MAX_CLIENT_CORES:g}: one"
            " process prepares and sends)"
        )
    return None


def conclude_indexing(
    dataset: DatasetStatus,
    indexing: Indexing,
    telemetry: Telemetry | None,
    *,
    is_timed: bool = True,
) -> DatasetStatus:
    """Return the status with what Solr did, the bottleneck and the verdict, after all pods ended.

    Without `telemetry`, which may have been turned off, only the index client is checked. Unless it
    `is_timed`, the report of a pod is lost, and with it how long all of them took.
    """
    client = find_client_limit(dataset, indexing)
    reasons: list[InvalidReason] = []
    if client is not None:
        field = HINTS[Resource.INDEX_CLIENT][1]
        text = f"{client}, so the rate is not that of Solr; raise {field} or their resources"
        reasons = [InvalidReason(reason=INDEX_CLIENT_LIMITS, message=text)]
    elif not is_timed:
        text = "the report of an index pod is lost, so that the time of indexing is not known"
        reasons = [InvalidReason(reason=INDEX_REPORT_LOST, message=text)]
    changes: dict[str, object] = {"verdict": "Invalid" if reasons else "Valid", "reasons": reasons}
    if telemetry is not None:
        servers = read_telemetry(telemetry)
        read = telemetry.solr[0] if telemetry.solr else None
        changes |= {
            "solr": IndexingTelemetry(
                seconds=0.0 if read is None else round_number(read.seconds),
                missing=list(servers.missing)[:MAX_MISSING],
                **mean_figures(IndexingTelemetry, [servers]),
            ),
            "series": [
                IndexingSeries(
                    server=each.server,
                    figure=each.figure,
                    seconds=each.seconds[:MAX_INDEXING_POINTS],
                    values=each.values[:MAX_INDEXING_POINTS],
                )
                for each in telemetry.series[:MAX_INDEXING_SERIES]
            ],
            "bottleneck": find_indexing_bottleneck(
                servers, client, 0 if read is None else read.readings
            ),
        }
    return dataset.model_copy(update=changes)


def find_indexing_bottleneck(
    servers: RunTelemetry, client: str | None, readings: int
) -> Bottleneck:
    """Return what held indexing back; `readings` is how often the nodes were read."""
    if client is not None:
        found = RunBottleneck(1, Resource.INDEX_CLIENT, Symptom(f"{INDEX_CLIENT_LIMITS}: {client}"))
    elif readings < MIN_READINGS:
        times = count_noun(readings, "time") if readings else "not at all"
        why = f" ({'; '.join(servers.missing)})" if servers.missing else ""
        text = f"inconclusive, as Solr was read {times}{why}; {MIN_READINGS} readings are needed"
        return Bottleneck(step=INDEXING, resource=Resource.INCONCLUSIVE, message=text[:MAX_MESSAGE])
    else:
        waits = {
            "updates that wait for merges": "merge_stalled_percent",
            "waits for the disk": "io_some_percent",
        }
        found = _apply(INDEXING_RULES, BottleneckInput(1, servers, {}), waits)
    is_none = found.resource is Resource.NONE
    return Bottleneck(
        step=INDEXING,
        resource=found.resource,
        server=found.symptom.server,
        message=found.symptom.text[:MAX_MESSAGE],
        field="dataset.indexing.concurrency" if is_none else HINTS[found.resource][1],
    )


_MIN_SECONDS = 1.0
"""Shorter indexing, such as that of a single document, was held back by nothing."""


def answer_indexing(status: Status) -> Iterator[str]:
    """Yield what held indexing back, with its rate."""
    found, rate = status.dataset.bottleneck, status.dataset.documents_per_second
    seconds = status.dataset.seconds
    is_too_short = seconds is not None and seconds < _MIN_SECONDS
    if found is not None and rate is not None and not is_too_short:
        title = f"Indexing, {format_number(rate)} documents/s"
        yield describe_bottleneck(found.model_copy(update={"step": title}))
