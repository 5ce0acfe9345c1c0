"""What every pod of a benchmark shares: owner, labels, security, resources, disruption budget.

Pods meet the Pod Security Standard "restricted", have no Kubernetes credentials and a read-only
root file system. The PodDisruptionBudget keeps drains and autoscalers off them while a run lasts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from solrbench.api.kinds import BENCHMARK, SWEEP, ResourceKind
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.pods import Resources
from solrbench.contract import names
from solrbench.contract.step_runs import shared_target

Manifest = dict[str, Any]


@dataclass(frozen=True)
class OperatorImage:
    """The image that holds the index and load commands: the operator's own."""

    reference: str
    pull_policy: str = "IfNotPresent"
    pull_secrets: tuple[str, ...] = ()


def metadata(
    benchmark: SolrBenchmark, component: str, attempt: int, name: str | None = None, **extra: str
) -> Manifest:
    """Return the metadata of a child: named as its component by default, labelled and owned."""
    return {
        "name": name or names.child(benchmark, component),
        "namespace": benchmark.metadata.namespace,
        "labels": names.labels(benchmark, component, attempt) | extra,
        "ownerReferences": [_owner(benchmark, component)],
    }


def _owner(benchmark: SolrBenchmark, component: str) -> Manifest:
    # A target that the points of a sweep share must not be collected with the first of them.
    shared = shared_target(benchmark) if component in names.NODES else None
    kind, owner = (BENCHMARK, benchmark.metadata) if shared is None else (SWEEP, shared.owner)
    return owner_reference(kind, owner.name, owner.uid)


def owner_reference(kind: ResourceKind, name: str, uid: str) -> Manifest:
    """Return the reference to the resource that controls an object."""
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def owner_uid(benchmark: SolrBenchmark, component: str) -> str:
    """Return the uid of the resource that the objects of a component belong to."""
    return str(_owner(benchmark, component)["uid"])


def container_security() -> Manifest:
    """Return the container's security context."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def resources(wanted: Resources) -> Manifest:
    """Return a container's resources, without the parts that were not given."""
    return {key: value for key, value in plain(wanted).items() if value}


def headless_service(
    benchmark: SolrBenchmark, component: str, attempt: int, ports: dict[str, int]
) -> Manifest:
    """Return a Service that gives every pod of a component its own name, ready or not."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(benchmark, component, attempt),
        "spec": {
            "clusterIP": "None",
            # Nodes and members find each other before any of them can be ready.
            "publishNotReadyAddresses": True,
            "selector": names.selector(benchmark, component),
            "ports": [{"name": name, "port": port} for name, port in ports.items()],
        },
    }


def config_map(meta: Manifest, **content: dict[str, str]) -> Manifest:
    """Return a ConfigMap with `data` or `binaryData`."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, **content}


def pull_secrets(references: Iterable[ObjectReference]) -> Manifest:
    """Return the pod's pull secrets; nothing if there are none."""
    given = [{"name": reference.name} for reference in references]
    return {"imagePullSecrets": given} if given else {}


DISRUPTION_BUDGET_API_VERSION = "policy/v1"
DISRUPTION_BUDGET_KIND = "PodDisruptionBudget"


def build_disruption_budget(
    benchmark: SolrBenchmark, component: str, attempt: int, pods: int
) -> Manifest:
    """Return the budget of a component that lets none of its pods be evicted."""
    return {
        "apiVersion": DISRUPTION_BUDGET_API_VERSION,
        "kind": DISRUPTION_BUDGET_KIND,
        "metadata": metadata(benchmark, component, attempt),
        "spec": {
            # A number of pods because Jobs have no scale, which `maxUnavailable` needs (Kubernetes
            # documentation, "Arbitrary workloads and arbitrary selectors").
            "minAvailable": pods,
            "selector": {"matchLabels": names.selector(benchmark, component)},
        },
    }
