"""What held each step back: the first rule that applies, if repeats agree; what to vary next."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from solrbench.analysis.bottleneck_evidence import BottleneckInput, Symptom, pod_of
from solrbench.analysis.bottleneck_rules import (
    find_cpu,
    find_disk,
    find_garbage_collection,
    find_load_generator,
    find_machine,
    find_memory,
    find_network,
    find_one_node,
    find_others,
    find_proxy,
    find_threads,
    find_throttling,
    find_zookeeper,
)
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.findings import Bottleneck, Resource
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.number_format import format_percent

RULES = (
    (Resource.LOAD_GENERATOR, find_load_generator),
    (Resource.THROTTLING, find_throttling),
    (Resource.MACHINE, find_others),
    (Resource.MEMORY, find_memory),
    (Resource.GARBAGE_COLLECTION, find_garbage_collection),
    (Resource.CPU, find_cpu),
    (Resource.DISK, find_disk),
    (Resource.ZOOKEEPER, find_zookeeper),
    (Resource.ONE_NODE, find_one_node),
    # Before what lies outside of Solr: requests wait there for one of Jetty's threads.
    (Resource.THREADS, find_threads),
    (Resource.PROXY, find_proxy),
    (Resource.NETWORK, find_network),
    (Resource.MACHINE, find_machine),
)
"""The rules in their order; the first that applies names the resource."""

FIELDS = {
    Resource.LOAD_GENERATOR: "load.workers",
    Resource.THROTTLING: "target.solrCloud.resources.limits.cpu",
    Resource.MEMORY: "target.solrCloud.resources.limits.memory",
    Resource.GARBAGE_COLLECTION: "target.solrCloud.heap",
    Resource.CPU: "target.solrCloud.nodes",
    Resource.DISK: "target.solrCloud.resources.limits.memory",
    Resource.ZOOKEEPER: "target.solrCloud.zookeeper.replicas",
    Resource.ONE_NODE: "collection.shards",
    Resource.PROXY: "target.variants",
    Resource.NETWORK: "collection.shards",
    Resource.THREADS: "target.solrCloud.nodes",
    Resource.MACHINE: "target.solrCloud.nodes",
    Resource.NONE: "load.steps",
}
"""What to vary next, by resource. A disk is helped by memory: the page cache saves reads."""


MIN_AGREEING_REPEATS = 2
"""Repeats that must show the same: one may have had a neighbour on its machine."""

MAX_MESSAGE = 1024


@dataclass(frozen=True)
class RunBottleneck:
    """What one step run shows."""

    repeat: int
    resource: Resource
    symptom: Symptom


def find_bottlenecks(
    spec: Spec,
    runs: Iterable[EvaluatedRun],
) -> list[Bottleneck]:
    """Return what held each step and variant back, for those whose servers were read."""
    by_step: dict[tuple[str, str], list[BottleneckInput]] = {}
    for run in runs:
        if run.servers is not None and run.servers.figures:
            key = run.document.step, run.document.variant
            by_step.setdefault(key, []).append(_evidence(spec, run, run.servers))
    return [
        _agree(
            step.name,
            variant,
            [find_bottleneck(run_input) for run_input in by_step[step.name, variant]],
        )
        for step in spec.load.steps
        for variant in variant_names(spec)
        if (step.name, variant) in by_step
    ]


def _evidence(spec: Spec, run: EvaluatedRun, servers: RunTelemetry) -> BottleneckInput:
    return BottleneckInput(
        repeat=run.document.repeat,
        servers=servers,
        findings=run.findings,
        behind_proxy=_behind_proxy(spec, run.document),
        users=run.document.users,
    )


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
    return RunBottleneck(run.repeat, Resource.NONE, Symptom(_nothing(run.servers.figures)))


def _nothing(figures: Mapping[str, float]) -> str:
    known = {
        "CPU of the busiest node": figures.get("cpu_percent"),
        "garbage collection": figures.get("gc_percent"),
        "heap after a collection": figures.get("heap_after_gc_max_percent"),
    }
    shown = (
        f"{name} {format_percent(value)}" for name, value in known.items() if value is not None
    )
    return f"nothing is saturated: {', '.join(shown) or 'no figure is near its limit'}"


def _agree(step: str, variant: str, runs: Sequence[RunBottleneck]) -> Bottleneck:
    counts = Counter(run.resource for run in runs)
    resource, shown = counts.most_common(1)[0]
    agreeing = [run for run in runs if run.resource is resource]
    if shown < MIN_AGREEING_REPEATS or 2 * shown <= len(runs):
        return Bottleneck(
            step=step,
            variant=variant or None,
            resource=Resource.UNCLEAR,
            message=_differences(runs)[:MAX_MESSAGE],
        )
    servers = {run.symptom.server for run in agreeing}
    text = f"{agreeing[0].symptom.text}, in {shown} of {len(runs)} repeats"
    return Bottleneck(
        step=step,
        variant=variant or None,
        resource=resource,
        server=servers.pop() if len(servers) == 1 else None,
        message=text[:MAX_MESSAGE],
        field=FIELDS.get(resource),
    )


def _differences(runs: Sequence[RunBottleneck]) -> str:
    shown = "; ".join(
        f"repeat {run.repeat}: {run.resource}, {run.symptom.text}" for run in runs[:3]
    )
    if len(runs) < MIN_AGREEING_REPEATS:
        return f"{MIN_AGREEING_REPEATS} repeats must agree, there is one: {shown}"
    return f"repeats do not agree: {shown}"


_WORDS = {
    Resource.LOAD_GENERATOR: "the load generator",
    Resource.THROTTLING: "the CPU limit of a pod",
    Resource.MEMORY: "memory",
    Resource.GARBAGE_COLLECTION: "garbage collection",
    Resource.CPU: "the CPU of Solr",
    Resource.DISK: "the disk",
    Resource.ZOOKEEPER: "ZooKeeper",
    Resource.ONE_NODE: "one node apart from its peers",
    Resource.PROXY: "the proxy in front of Solr",
    Resource.NETWORK: "the network",
    Resource.THREADS: "locks or thread limits",
    Resource.MACHINE: "the machine as a whole",
}


def bottleneck_sentences(bottlenecks: Iterable[Bottleneck]) -> list[str]:
    """Return a sentence for each step: what held it back, the numbers, and what to vary next."""
    return [_sentence(bottleneck) for bottleneck in bottlenecks]


def _sentence(found: Bottleneck) -> str:
    step = f"{found.step} ({found.variant})" if found.variant else found.step
    if found.resource == Resource.UNCLEAR:
        return f"What holds {step} back is Unclear: {found.message}"
    if found.resource == Resource.NONE:
        return f"Nothing holds {step} back: {found.message}; raise the load with {found.field}"
    pod = pod_of(found.server or "")
    server = f" ({pod})" if pod and pod not in found.message else ""
    what = _WORDS[Resource(found.resource)]
    hint = f"; vary {found.field} next" if found.field else ""
    return f"{step} is held back by {what}{server}: {found.message}{hint}"


def answer_bottlenecks(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.bottlenecks`."""
    del spec
    return bottleneck_sentences(status.bottlenecks)
