"""The Solr nodes: Services and a StatefulSet of the official image."""

from typing import Any

from solrbench.api.quantities import heap_mebibytes
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.pods import PersistentStorage
from solrbench.api.v1alpha1.target import SolrCloud
from solrbench.contract import names
from solrbench.contract.endpoints import ZooKeeperPath, needs_service
from solrbench.manifests.common import (
    Manifest,
    build_disruption_budget,
    container_security,
    empty_dirs,
    headless_service,
    metadata,
    pull_secrets,
    resources,
)
from solrbench.manifests.job_pod import placement, pod_metadata, pod_security, pod_variables

USER = 8983
DATA_FOLDER = "/var/solr"
GRACE_SECONDS = 30

PROBE_TIMINGS = {
    "startupProbe": {"periodSeconds": 3, "timeoutSeconds": 10, "failureThreshold": 100},
    "livenessProbe": {"periodSeconds": 30, "timeoutSeconds": 30, "failureThreshold": 10},
    "readinessProbe": {"periodSeconds": 5, "timeoutSeconds": 15, "failureThreshold": 6},
}
"""Probes that survive load: a busy node is not a dead one."""

QUIET = {"SOLR_REQUESTLOG_ENABLED": "false"}
"""A benchmark measures Solr: no second copy of every log line, no request log."""

LOG_LEVEL = "WARN"


def build_solr(
    benchmark: SolrBenchmark, solr: SolrCloud, attempt: int, state: ZooKeeperPath
) -> list[Manifest]:
    """Return the objects of the Solr nodes that keep their state in `state`."""
    common = [_common_service(benchmark, attempt)] if needs_service(benchmark) else []
    return [
        headless_service(benchmark, names.SOLR, attempt, {"http": names.SOLR_PORT}),
        *common,
        build_disruption_budget(benchmark, names.SOLR, attempt, solr.nodes),
        _stateful_set(benchmark, solr, attempt, state),
    ]


def _common_service(benchmark: SolrBenchmark, attempt: int) -> Manifest:
    """Return the Service over all ready nodes, for the variants that go through it."""
    name = names.child(benchmark, names.SOLR_COMMON)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(benchmark, name, names.SOLR, attempt),
        "spec": {
            "selector": names.selector(benchmark, names.SOLR),
            "ports": [{"name": "http", "port": names.SOLR_PORT, "targetPort": "http"}],
        },
    }


def _stateful_set(
    benchmark: SolrBenchmark, solr: SolrCloud, attempt: int, state: ZooKeeperPath
) -> Manifest:
    name = names.child(benchmark, names.SOLR)
    meta = metadata(benchmark, name, names.SOLR, attempt)
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": {
            "serviceName": name,
            "replicas": solr.nodes,
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": names.selector(benchmark, names.SOLR)},
            "persistentVolumeClaimRetentionPolicy": {
                "whenDeleted": "Delete",
                "whenScaled": "Delete",
            },
            "template": {
                "metadata": pod_metadata(benchmark, names.SOLR, meta["labels"]),
                "spec": _pod(benchmark, solr, state),
            },
            "volumeClaimTemplates": _claims(solr, meta["labels"]),
        },
    }


def _claims(solr: SolrCloud, labels: dict[str, str]) -> list[Manifest]:
    persistent = solr.storage.persistent
    if persistent is None:
        return []
    return [{"metadata": {"name": "data", "labels": labels}, "spec": claim_spec(persistent)}]


def claim_spec(persistent: PersistentStorage) -> Manifest:
    """Return what the claim of one node requests."""
    spec: Manifest = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": persistent.size}},
    }
    if persistent.storage_class_name is not None:
        spec["storageClassName"] = persistent.storage_class_name
    return spec


def empty_dir(solr: SolrCloud) -> Manifest:
    """Return the volume source of an index on the node's disk."""
    ephemeral = solr.storage.ephemeral
    return {"sizeLimit": ephemeral.size_limit} if ephemeral and ephemeral.size_limit else {}


def _pod(benchmark: SolrBenchmark, solr: SolrCloud, state: ZooKeeperPath) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp")  # noqa: S108
    mounts.append({"name": "data", "mountPath": DATA_FOLDER})
    if solr.storage.persistent is None:
        volumes.append({"name": "data", "emptyDir": empty_dir(solr)})
    return {
        **placement(benchmark, names.SOLR),
        **pull_secrets(solr.image_pull_secrets),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "securityContext": pod_security(benchmark, names.SOLR, USER),
        "containers": [
            {
                "name": "solr",
                "image": solr.image.reference,
                "imagePullPolicy": solr.image.pull_policy.value,
                "env": pod_variables(benchmark, names.SOLR, _environment(benchmark, solr, state)),
                "ports": [{"name": "http", "containerPort": names.SOLR_PORT}],
                **_probes(),
                "resources": resources(solr.resources),
                "securityContext": container_security(),
                "volumeMounts": mounts,
            }
        ],
        "volumes": volumes,
    }


def _environment(benchmark: SolrBenchmark, solr: SolrCloud, state: ZooKeeperPath) -> list[Manifest]:
    service = names.child(benchmark, names.SOLR)
    host = f"$(POD_NAME).{service}.{benchmark.metadata.namespace}.svc"
    values = {
        "SOLR_HOST": host,
        "SOLR_PORT": str(names.SOLR_PORT),
        "SOLR_HEAP": f"{heap_mebibytes(solr.heap)}m",
        "SOLR_LOG_LEVEL": LOG_LEVEL,
        "ZK_HOST": state.connection,
        "ZK_CREATE_CHROOT": "true" if state.chroot else None,
        **QUIET,
        "GC_TUNE": solr.gc_tune,
        "SOLR_OPTS": solr.solr_opts,
    }
    return [
        {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        *({"name": key, "value": value} for key, value in values.items() if value is not None),
    ]


def _probes() -> dict[str, Any]:
    paths = {
        "startupProbe": "/solr/admin/info/system",
        "livenessProbe": "/solr/admin/info/system",
        "readinessProbe": "/solr/admin/info/health",
    }
    return {
        probe: {"httpGet": {"path": path, "port": "http"}} | PROBE_TIMINGS[probe]
        for probe, path in paths.items()
    }
