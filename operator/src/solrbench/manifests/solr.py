"""The Solr nodes: Services and a StatefulSet of the official image."""

from solrbench.api.quantities import heap_mebibytes
from solrbench.api.solr_versions import ALLOWED_PATHS, name_variables
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.pods import PersistentStorage
from solrbench.api.v1alpha1.target import SolrCloud
from solrbench.contract import names
from solrbench.contract.endpoints import ZooKeeperPath, needs_service
from solrbench.contract.pod_plans import BACKUP_FOLDER
from solrbench.manifests.common import (
    Manifest,
    build_disruption_budget,
    headless_service,
    metadata,
    resources,
)
from solrbench.manifests.pods import PodBuilder, build_stateful_set, variables

USER = 8983
DATA_FOLDER = "/var/solr"
GRACE_SECONDS = 30

PROBE_TIMINGS = {
    "startupProbe": {"periodSeconds": 3, "timeoutSeconds": 10, "failureThreshold": 100},
    "livenessProbe": {"periodSeconds": 30, "timeoutSeconds": 30, "failureThreshold": 10},
    "readinessProbe": {"periodSeconds": 5, "timeoutSeconds": 15, "failureThreshold": 6},
}
"""Probes that survive load: a busy node is not a dead one."""
_PROBE_PATHS = {
    "startupProbe": "/solr/admin/info/system",
    "livenessProbe": "/solr/admin/info/system",
    # It also fails while the node is not among the live nodes in ZooKeeper.
    "readinessProbe": "/solr/admin/info/health",
}

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
        "metadata": metadata(benchmark, names.SOLR, attempt, name),
        "spec": {
            "selector": names.selector(benchmark, names.SOLR),
            "ports": [{"name": "http", "port": names.SOLR_PORT, "targetPort": "http"}],
        },
    }


def _stateful_set(
    benchmark: SolrBenchmark, solr: SolrCloud, attempt: int, state: ZooKeeperPath
) -> Manifest:
    pod, persistent = PodBuilder(benchmark, names.SOLR), solr.storage.persistent
    pod.add_scratch(tmp="/tmp")  # noqa: S108
    pod.mounts.append({"name": "data", "mountPath": DATA_FOLDER})
    claims: list[Manifest] = []
    if persistent is None:
        pod.volumes.append({"name": "data", "emptyDir": empty_dir(solr)})
    else:
        labels = names.labels(benchmark, names.SOLR, attempt)
        claims = [{"metadata": {"name": "data", "labels": labels}, "spec": claim_spec(persistent)}]
    if benchmark.spec.backup_claim is not None:
        pod.add_claim("backup", BACKUP_FOLDER, benchmark.spec.backup_claim)
    container = {
        "image": solr.image.reference,
        "imagePullPolicy": solr.image.pull_policy.value,
        "env": _environment(benchmark, solr, state),
        "ports": [{"name": "http", "containerPort": names.SOLR_PORT}],
        "resources": resources(solr.resources),
        **{
            probe: {"httpGet": {"path": path, "port": "http"}} | PROBE_TIMINGS[probe]
            for probe, path in _PROBE_PATHS.items()
        },
    }
    return build_stateful_set(
        pod,
        attempt,
        solr.nodes,
        pod.build(container, USER, GRACE_SECONDS, solr.image_pull_secrets),
        # The claims hold a copy of the dataset for each node, which no other attempt may find.
        persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Delete"},
        volumeClaimTemplates=claims,
    )


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
        "SOLR_OPTS": _options(benchmark, solr),
    }
    # It stands first: a variable is replaced in values of later ones only.
    own_name = {"fieldRef": {"fieldPath": "metadata.name"}}
    return [
        {"name": "POD_NAME", "valueFrom": own_name},
        *variables(name_variables(solr.image.tag, values)),
    ]


def _options(benchmark: SolrBenchmark, solr: SolrCloud) -> str | None:
    """Return the JVM flags of the spec, after those that let Solr read the backup."""
    if benchmark.spec.backup_claim is None:
        return solr.solr_opts
    # The last flag of a name counts: a list of the benchmark's own replaces this one.
    allowed = [f"-D{name}={BACKUP_FOLDER}" for name in ALLOWED_PATHS]
    return " ".join(filter(None, [*allowed, solr.solr_opts]))
