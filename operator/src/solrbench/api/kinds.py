"""The kinds of resource that the operator serves, one entry each."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from solrbench.api.identity import (
    API_VERSION,
    GROUP,
    KIND,
    PLURAL,
    SHORT_NAME,
    SWEEP_KIND,
    SWEEP_PLURAL,
    SWEEP_SHORT_NAME,
    VERSION,
)
from solrbench.api.rules import Model
from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.api.v1alpha1.sweep_spec import SweepSpec


class PrinterColumn(NamedTuple):
    """A column of `kubectl get`; one with priority 1 shows with `-o wide` only."""

    name: str
    type: str
    json_path: str
    priority: int = 0


@dataclass(frozen=True)
class ResourceKind:
    """One kind of resource."""

    model: type[Model]
    name: str
    plural: str
    short_name: str
    noun: str
    """What its messages call a resource."""
    mutable: frozenset[str]
    """Fields of the spec that may change after creation."""
    columns: tuple[PrinterColumn, ...]
    group: ClassVar = GROUP
    version: ClassVar = VERSION
    api_version: ClassVar = API_VERSION

    @property
    def definition(self) -> str:
        """Name of the CustomResourceDefinition."""
        return f"{self.plural}.{self.group}"

    @property
    def reference(self) -> tuple[str, str]:
        """`apiVersion` and `kind`, as the client of the cluster takes them."""
        return self.api_version, self.name


BENCHMARK = ResourceKind(
    model=SolrBenchmark,
    name=KIND,
    plural=PLURAL,
    short_name=SHORT_NAME,
    noun="benchmark",
    mutable=frozenset(Spec.mutable),
    columns=(
        PrinterColumn("Phase", "string", ".status.phase"),
        PrinterColumn("Done-%", "integer", ".status.progressPercent"),
        PrinterColumn("Step", "string", ".status.summary.step"),
        PrinterColumn("Req/s", "number", ".status.summary.requestsPerSecond"),
        PrinterColumn("P95-ms", "number", ".status.summary.p95Milliseconds"),
        PrinterColumn("Failed-%", "number", ".status.summary.failedPercent"),
        PrinterColumn("Verdict", "string", ".status.summary.verdict"),
        PrinterColumn("Nodes", "integer", ".spec.target.solrCloud.nodes", 1),
        PrinterColumn("Shards", "integer", ".spec.collection.shards", 1),
        PrinterColumn("ZooKeepers", "integer", ".status.target.zookeepers", 1),
        PrinterColumn("Documents", "integer", ".status.dataset.documents", 1),
        PrinterColumn("Message", "string", '.status.conditions[?(@.type=="Succeeded")].message', 1),
        PrinterColumn("Age", "date", ".metadata.creationTimestamp"),
    ),
)

SWEEP = ResourceKind(
    model=SolrBenchmarkSweep,
    name=SWEEP_KIND,
    plural=SWEEP_PLURAL,
    short_name=SWEEP_SHORT_NAME,
    noun="sweep",
    mutable=frozenset(SweepSpec.mutable),
    columns=(
        PrinterColumn("Phase", "string", ".status.phase"),
        PrinterColumn("Points", "string", ".status.counts.text"),
        PrinterColumn("Failed", "integer", ".status.counts.failed"),
        PrinterColumn("Invalid", "integer", ".status.counts.invalid"),
        PrinterColumn("Best", "string", ".status.best[0].values"),
        PrinterColumn("Req/s", "number", ".status.best[0].requestsPerSecond"),
        PrinterColumn("P95-ms", "number", ".status.best[0].p95Milliseconds"),
        PrinterColumn("Left-s", "integer", ".status.estimate.remainingSeconds", 1),
        PrinterColumn("Message", "string", '.status.conditions[?(@.type=="Succeeded")].message', 1),
        PrinterColumn("Age", "date", ".metadata.creationTimestamp"),
    ),
)

KINDS = (BENCHMARK, SWEEP)
"""Every kind; each has a definition and a part of the reference."""
