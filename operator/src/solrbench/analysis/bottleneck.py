"""The bottleneck of each step: the first rule that applies, if repeats agree; what to change."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from solrbench.analysis import bottleneck_rules as rules
from solrbench.analysis.bottleneck_evidence import BottleneckInput, Symptom, pod_of
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.server_metrics import group_by_step
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.findings import Bottleneck, Resource
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import format_percent

# Saturation comes before utilisation (Gregg, the USE method); the first rule that applies counts.
RULES = (
    # A load generator that delays requests makes all that the servers show worthless.
    (Resource.LOAD_GENERATOR, rules.find_load_generator),
    (Resource.THROTTLING, rules.find_throttling),
    # All else that a node shows may be the doing of others, but not that a pod meets its own limit.
    (Resource.MACHINE, rules.find_others),
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
    """Return what held each step and variant back, for those whose servers were read."""
    found = []
    for run in runs:
        document, servers = run.document, run.servers
        if servers is not None and servers.figures:
            behind, users = _behind_proxy(spec, document), document.users
            evidence = BottleneckInput(document.repeat, servers, run.findings, behind, users)
            found.append((document, find_bottleneck(evidence)))
    return [_agree(step, variant, own) for step, variant, own in group_by_step(spec, found)]


def _behind_proxy(spec: Spec, document: StepRunResult) -> bool:
    """Return whether something may stand between load and Solr: only nodes are direct."""
    existing = spec.target.existing
    if existing is not None:
        known = document.target.pods if document.target is not None else {}
        nodes = {each.removesuffix("_solr") for each in known}
        hosts = {urlsplit(each).netloc for each in existing.urls or ()}
        return not hosts or not hosts <= nodes
    variant = next((each for each in spec.target.variants if each.name == document.variant), None)
    return variant is not None and bool(variant.urls)


def find_bottleneck(run: BottleneckInput) -> RunBottleneck:
    """Return the first resource at its limit in one step run, or that there is none."""
    for resource, find in RULES:
        symptom = find(run)
        if symptom is not None:
            return RunBottleneck(run.repeat, resource, symptom)
    known = {
        "CPU of the busiest node": run.figure("cpu_percent"),
        "garbage collection": run.figure("gc_percent"),
        "heap after a collection": run.figure("heap_after_gc_max_percent"),
    }
    shown = (f"{name} {format_percent(each)}" for name, each in known.items() if each is not None)
    text = f"no resource reached its limit ({', '.join(shown) or 'none was read'})"
    return RunBottleneck(run.repeat, Resource.NONE, Symptom(text))


def _agree(step: str, variant: str, runs: Sequence[RunBottleneck]) -> Bottleneck:
    counts = Counter(run.resource for run in runs)
    resource, shown = counts.most_common(1)[0]
    agreeing = [run for run in runs if run.resource is resource]
    if shown < MIN_AGREEING_REPEATS or 2 * shown <= len(runs):
        seen = " ".join(f"Repeat {e.repeat}: {e.symptom.text}." for e in runs[:3])
        text = f"inconclusive, as the repeats point to different resources. {seen}"
        if len(runs) < MIN_AGREEING_REPEATS:
            text = f"not confirmed, because there is only one repeat. {seen}"
            text += f" Set load.repeats.count to {MIN_AGREEING_REPEATS} or more."
        return Bottleneck(
            step=step,
            variant=variant or None,
            resource=Resource.INCONCLUSIVE,
            message=text[:MAX_MESSAGE],
        )
    servers = {run.symptom.server for run in agreeing}
    text = f"{agreeing[0].symptom.text} in {shown} of {len(runs)} repeats"
    return Bottleneck(
        step=step,
        variant=variant or None,
        resource=resource,
        # Repeats that agree on the resource may still show it on different servers.
        server=servers.pop() if len(servers) == 1 else None,
        message=text[:MAX_MESSAGE],
        field=HINTS[resource][1],
    )


def describe_bottleneck(found: Bottleneck) -> str:
    """Return the bottleneck of a step, the numbers, and what to change next."""
    step = f"{found.step} ({found.variant})" if found.variant else found.step
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
    hint = f" Change next: {found.field}." if found.field else ""
    return f"{step}: the bottleneck is {what}{server}. {_sentence_case(found.message)}.{hint}"


def _sentence_case(text: str) -> str:
    """Return a text with its first letter as a capital, unless it begins with a name or number."""
    first, _, rest = text.partition(" ")
    return f"{first.capitalize()} {rest}" if first.isalpha() and first.islower() else text


def answer_bottlenecks(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.bottlenecks`."""
    del spec
    return [describe_bottleneck(bottleneck) for bottleneck in status.bottlenecks]
