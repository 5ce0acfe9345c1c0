"""The record of what a benchmark ran on: spec, seeds, images, versions and nodes."""

import hashlib

import orjson

from solrbench.api.rules import Model
from solrbench.api.v1alpha1 import Spec
from solrbench.plan.workload_files import workload_seeds


class NodeRecord(Model):
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


class Environment(Model):
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


def spec_hash(spec: Spec) -> str:
    """Return the SHA-256 of everything in `spec` that shapes the measurement, in hexadecimal.

    Defaults count as if they were written out. Fields that may change later (`Spec.mutable`) say
    nothing about what is measured and are left out.
    """
    desired = spec.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {name: value for name, value in desired.items() if name not in Spec.mutable}
    return hashlib.sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).hexdigest()


def seeds(spec: Spec) -> dict[str, int]:
    """Return every seed of `spec` by its path."""
    found = workload_seeds(spec.workload)
    if spec.dataset is not None and spec.dataset.generator is not None:
        found["dataset.generator.seed"] = spec.dataset.generator.seed
    return found
