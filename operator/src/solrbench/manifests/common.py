"""What every pod of a benchmark shares: owner, labels, security, resources, disruption budget.

Pods meet the Pod Security Standard "restricted", have no Kubernetes credentials and a read-only
root file system. The PodDisruptionBudget keeps drains and autoscalers off them while a run lasts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources
from solrbench.contract import names
from solrbench.contract.load_plan import CA_FOLDER, CA_KEY, CREDENTIALS_FOLDER, PASSWORD, USERNAME
from solrbench.contract.step_runs import shared_target

Manifest = dict[str, Any]


@dataclass(frozen=True)
class OperatorImage:
    """The image that holds the index and load commands: the operator's own."""

    reference: str
    pull_policy: str = "IfNotPresent"
    pull_secrets: tuple[str, ...] = ()


def metadata(
    benchmark: SolrBenchmark, name: str, component: str, attempt: int, **extra: str
) -> Manifest:
    """Return the metadata of a child: named, labelled and owned."""
    return {
        "name": name,
        "namespace": benchmark.metadata.namespace,
        "labels": names.labels(benchmark, component, attempt) | extra,
        "ownerReferences": [_owner(benchmark, component)],
    }


def _owner(benchmark: SolrBenchmark, component: str) -> Manifest:
    """Return the reference to the benchmark, or to the sweep whose points share the target."""
    shared = shared_target(benchmark) if component in names.NODES else None
    kind, owner = (BENCHMARK, benchmark.metadata) if shared is None else (SWEEP, shared.owner)
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "name": owner.name,
        "uid": owner.uid,
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
    both = {"requests": _amounts(wanted.requests), "limits": _amounts(wanted.limits)}
    return {key: value for key, value in both.items() if value}


def _amounts(amounts: ResourceAmounts) -> dict[str, str]:
    return {
        key: value
        for key, value in {"cpu": amounts.cpu, "memory": amounts.memory}.items()
        if value is not None
    }


def empty_dirs(**mounts: str) -> tuple[list[Manifest], list[Manifest]]:
    """Return volumes and mounts of scratch folders: volume name to path."""
    volumes: list[Manifest] = [{"name": name, "emptyDir": {}} for name in mounts]
    return volumes, [{"name": name, "mountPath": path} for name, path in mounts.items()]


def headless_service(
    benchmark: SolrBenchmark, component: str, attempt: int, ports: dict[str, int]
) -> Manifest:
    """Return a Service that gives every pod of a component its own name, ready or not."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(benchmark, names.child(benchmark, component), component, attempt),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": names.selector(benchmark, component),
            "ports": [{"name": name, "port": port} for name, port in ports.items()],
        },
    }


def config_map(
    benchmark: SolrBenchmark, component: str, attempt: int, data: dict[str, str]
) -> Manifest:
    """Return a ConfigMap that pods of a component read."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(benchmark, names.child(benchmark, component), component, attempt),
        "data": data,
    }


def pull_secrets(references: Iterable[ObjectReference]) -> Manifest:
    """Return the pod's pull secrets; nothing if there are none."""
    given = [{"name": reference.name} for reference in references]
    return {"imagePullSecrets": given} if given else {}


def add_secrets(benchmark: SolrBenchmark, volumes: list[Manifest], mounts: list[Manifest]) -> None:
    """Mount what an existing target requires of its clients: by reference, only the keys named."""
    existing = benchmark.spec.target.existing
    if existing is None:
        return
    secrets: list[tuple[str, str, str, dict[str, str]]] = []
    if existing.basic_auth is not None:
        keys = {USERNAME: USERNAME, PASSWORD: PASSWORD}
        secrets.append(("credentials", existing.basic_auth.secret.name, CREDENTIALS_FOLDER, keys))
    if existing.tls is not None:
        secret = existing.tls.ca_secret
        secrets.append(("ca", secret.name, CA_FOLDER, {secret.key: CA_KEY}))
    for name, secret_name, folder, keys in secrets:
        items = [{"key": key, "path": path} for key, path in keys.items()]
        source = {"secretName": secret_name, "items": items, "defaultMode": 0o440}
        volumes.append({"name": name, "secret": source})
        mounts.append({"name": name, "mountPath": folder, "readOnly": True})


DISRUPTION_BUDGET_API_VERSION = "policy/v1"
DISRUPTION_BUDGET_KIND = "PodDisruptionBudget"


def build_disruption_budget(
    benchmark: SolrBenchmark, component: str, attempt: int, pods: int
) -> Manifest:
    """Return the budget of a component that lets none of its pods be evicted.

    It is a number of pods because Jobs have no scale, which `maxUnavailable` needs (Kubernetes
    documentation, "Arbitrary workloads and arbitrary selectors").
    """
    return {
        "apiVersion": DISRUPTION_BUDGET_API_VERSION,
        "kind": DISRUPTION_BUDGET_KIND,
        "metadata": metadata(benchmark, names.child(benchmark, component), component, attempt),
        "spec": {
            "minAvailable": pods,
            "selector": {"matchLabels": names.selector(benchmark, component)},
        },
    }
