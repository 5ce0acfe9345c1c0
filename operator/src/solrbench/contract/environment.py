"""What a benchmark ran on: spec, seeds, images, versions, nodes, and each step run's target."""

import hashlib
from datetime import datetime

import orjson

from solrbench.api.rules import LenientModel, plain
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.repeats import RepeatOrder, RepeatStart
from solrbench.contract.workload_files import workload_seeds


class NodeRecord(LenientModel):
    """A Kubernetes node that pods of the benchmark ran on."""

    name: str
    """Name of the node."""
    cpu_cores: float | None = None
    """Cores the node has."""
    memory_bytes: int | None = None
    """Memory the node has."""
    kernel: str | None = None
    """Release of its kernel."""
    architecture: str | None = None
    """`amd64`, `arm64` …"""
    instance_type: str | None = None
    """Type of the machine, where the cloud provider labels the node with it."""
    zone: str | None = None
    """Zone of the cloud that the node is in."""
    os_image: str | None = None
    """Operating system."""
    container_runtime: str | None = None
    """Container runtime with its version."""
    kubelet_version: str | None = None
    """Version of the kubelet."""


class AttemptRecord(LenientModel):
    """What one attempt of the load, on one attempt of the target, ran on."""

    target: int
    """Number of the target's attempt."""
    load: int
    """Number of the load's attempt."""
    images: dict[str, str] = {}
    """Image of each component."""
    solr_version: str | None = None
    """As Solr reports it."""
    jvm_version: str | None = None
    """As Solr's JVM reports it."""
    nodes: dict[str, list[str]] = {}
    """Nodes by component: of Kubernetes, or the Solr nodes of an existing target."""
    pods: dict[str, str] = {}
    """Node of Kubernetes that each pod ran on."""
    documents: int | None = None
    """Documents in the index at the end of indexing."""
    deleted_documents: int | None = None
    """Deleted documents that were still in the index then."""


class Environment(LenientModel):
    """What a benchmark ran on: enough to run it again elsewhere and explain a difference."""

    spec_hash: str
    """`spec_hash` of the resource."""
    seeds: dict[str, int] = {}
    """Every seed of the spec by its path."""
    images: dict[str, str] = {}
    """Image of each component, with its digest where the kubelet reports one."""
    solr_version: str | None = None
    """As Solr reports it."""
    jvm_version: str | None = None
    """As Solr's JVM reports it."""
    nodes: list[NodeRecord] = []
    """The nodes that pods ran on, by name."""
    attempts: list[AttemptRecord] = []
    """Each attempt whose steps are in the results; all else is of the first one."""
    differences: list[str] = []
    """In what attempts differ from the first one; steps of them are not of the same target."""


def add_attempt(known: Environment, found: Environment) -> Environment:
    """Return the record with the attempt that `found` has, and how it differs from the first."""
    attempts = [*known.attempts, *found.attempts]
    names = {record.name for record in known.nodes}
    nodes = [*known.nodes, *(record for record in found.nodes if record.name not in names)]
    differences = [text for other in attempts[1:] for text in _differences(attempts[0], other)]
    changes = {"attempts": attempts, "nodes": nodes, "differences": differences}
    return known.model_copy(update=changes)


def _differences(first: AttemptRecord, other: AttemptRecord) -> list[str]:
    where = f"attempt {other.target} of the target, {other.load} of the load"
    before, after = _facts(first, other), _facts(other, first)
    return [
        f"{what}: {before[what] or 'unknown'} at first, {after[what] or 'unknown'} in {where}"
        for what in before
        if before[what] != after[what]
    ]


def _facts(record: AttemptRecord, other: AttemptRecord) -> dict[str, str]:
    """Return what is compared; the keys are the same for both records."""
    facts = {"Solr": record.solr_version or "", "JVM": record.jvm_version or ""}
    for component in sorted(record.images.keys() | other.images.keys()):
        facts[f"image of {component}"] = record.images.get(component, "")
    for component in sorted(record.nodes.keys() | other.nodes.keys()):
        facts[f"nodes of {component}"] = ", ".join(record.nodes.get(component, []))
    # An existing target may have none of its own: that is no difference.
    if record.documents is not None and other.documents is not None:
        facts["documents"] = str(record.documents)
    return facts


def spec_hash(spec: Spec) -> str:
    """Return the SHA-256 of everything in `spec` that shapes the measurement, in hexadecimal.

    Defaults count as if they were written out. Fields that may change later (`Spec.mutable`) say
    nothing about what is measured and are left out.
    """
    kept = {name: value for name, value in plain(spec).items() if name not in Spec.mutable}
    # The order in which fields were given means nothing.
    return hashlib.sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).hexdigest()


def seeds(spec: Spec) -> dict[str, int]:
    """Return every seed of `spec` by its path."""
    all_seeds = workload_seeds(spec.workload)
    if spec.dataset is not None and spec.dataset.generator is not None:
        all_seeds["dataset.generator.seed"] = spec.dataset.generator.seed
    if spec.target.variants and spec.load.repeats.order is RepeatOrder.RANDOM:
        all_seeds["seed"] = spec.seed
    return all_seeds


class VariantTarget(LenientModel):
    """What one variant points to, as its endpoint says."""

    documents: int | None = None
    """Documents that it holds; None if it does not show them, or if the workload itself may change
    them."""
    solr_versions: list[str] = []
    """Versions of Solr that its nodes report; empty if it does not show them."""


class MeasuredTarget(LenientModel):
    """The target of one step run, as it was when its result was stored."""

    attempt: int
    """Number of the target's attempt."""
    pods: dict[str, str] = {}
    """Uid and restarts of each pod of Solr and ZooKeeper; of an existing target the start time of
    each node's JVM."""
    nodes: dict[str, str] = {}
    """Node of Kubernetes that each of these pods ran on; empty for an existing target."""
    images: dict[str, str] = {}
    """Image of each component, with its digest where the kubelet reports one."""
    documents: int | None = None
    """Documents in the index, each shard counted once; None if unknown. Where the workload itself
    may change the index, these and the deleted ones are those at the end of indexing."""
    deleted_documents: int | None = None
    """Deleted documents that are still in the index, of each shard those of its worst replica."""
    solr_versions: list[str] = []
    """Versions of Solr that the nodes report; empty if unknown."""
    variant: VariantTarget | None = None
    """What the variant of the step run points to; None without variants."""
    indexed: datetime | None = None
    """When the benchmark had filled the index; None for a collection of the user's."""
    indexing_seconds: float | None = None
    """Seconds from the first batch to the last when the benchmark had filled it."""
    indexing_is_valid: bool = True
    """Whether these are Solr's: not if the index pods were the limit."""
    index_bytes: int | None = None
    """Size of the index over all replicas then."""
    filled: bool = True
    """Whether the benchmark indexed the documents; a collection of the user's is as it is."""


def find_changes(
    first: MeasuredTarget, other: MeasuredTarget, start_on: RepeatStart = RepeatStart.SAME_TARGET
) -> list[str]:
    """Return in what another target differs from the first one, a few words for each.

    What is unknown of either is not compared, nor is what was made anew between the two on purpose,
    as `start_on` says.
    """
    changes: list[str] = []
    if start_on is not RepeatStart.FRESH_TARGET:
        names = sorted(first.pods.keys() | other.pods.keys())
        new = [name for name in names if first.pods.get(name) != other.pods.get(name)]
        if new:
            attempts = f"(attempts {first.attempt} and {other.attempt})"
            changes.append(f"{', '.join(new)} was replaced or restarted {attempts}")
        changes += _changed("node", first.nodes, other.nodes)
    changes += _changed("image", first.images, other.images)
    before, after = first.indexed, other.indexed
    if start_on is RepeatStart.SAME_TARGET and before and after and before != after:
        changes.append(f"index filled at {before:%H:%M:%S}, then again at {after:%H:%M:%S} UTC")
    # Deleted documents are not compared: merges, which drop them, take their own time on each.
    if None not in {first.documents, other.documents} and first.documents != other.documents:
        changes.append(f"documents: {first.documents}, then {other.documents}")
    return changes


def _changed(what: str, first: dict[str, str], other: dict[str, str]) -> list[str]:
    return [
        f"{what} of {name}: {first[name]}, then {other[name]}"
        for name in sorted(first.keys() & other.keys())
        if first[name] != other[name]
    ]
