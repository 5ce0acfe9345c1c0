"""The first stage: everything that the spec refers to exists."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import resolve_endpoint
from solrbench.decide.conditions import ACCEPTED
from solrbench.errors import TemporaryError
from solrbench.plan.workload_files import sources


def check_references(context: ReconcileContext) -> None:
    """Check that everything the spec refers to exists.

    Raises:
        TemporaryError: if something is missing; it may be applied a moment later.
        PermanentError: `HostNotAllowed`.

    """
    if context.status.start_time is not None:
        return
    context.set_phase("Pending")
    for path, name, keys in _config_maps(context.benchmark):
        _check_config_map(context, path, name, keys)
    if context.existing is not None:
        resolve_endpoint(
            context.cluster, context.settings.allowed_hosts, context.namespace, context.existing
        )
    for path, name in _claims(context.benchmark):
        if context.cluster.get("v1", "PersistentVolumeClaim", context.namespace, name) is None:
            raise TemporaryError(
                "VolumeClaimNotFound",
                f"{path}: there is no PersistentVolumeClaim {name} in namespace"
                f" {context.namespace}",
            )
    context.conditions.set(ACCEPTED, "True", "Accepted", "everything the spec refers to is there")


def _config_maps(benchmark: SolrBenchmark) -> list[tuple[str, str, list[str]]]:
    spec = benchmark.spec
    found: list[tuple[str, str, list[str]]] = []
    if spec.collection.config_set.config_map is not None:
        found.append(
            ("spec.collection.configSet.configMap", spec.collection.config_set.config_map.name, [])
        )
    if spec.dataset is not None and spec.dataset.config_map is not None:
        source = spec.dataset.config_map
        found.append(("spec.dataset.configMap", source.name, list(source.keys)))
    for path, _, content in sources(spec.workload):
        if content.config_map is not None:
            file = content.config_map
            found.append((f"spec.{path}.configMap", file.name, [file.key]))
    if spec.workload.locustfile is not None:
        own = spec.workload.locustfile.config_map
        found.append(("spec.workload.locustfile.configMap", own.name, [own.key]))
    return found


def _claims(benchmark: SolrBenchmark) -> list[tuple[str, str]]:
    found = []
    dataset = benchmark.spec.dataset
    if dataset is not None and dataset.persistent_volume_claim is not None:
        claim = dataset.persistent_volume_claim.claim_name
        found.append(("spec.dataset.persistentVolumeClaim", claim))
    for path, _, content in sources(benchmark.spec.workload):
        if content.persistent_volume_claim is not None:
            claim = content.persistent_volume_claim.claim_name
            found.append((f"spec.{path}.persistentVolumeClaim", claim))
    return found


def _check_config_map(context: ReconcileContext, path: str, name: str, keys: list[str]) -> None:
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    if body is None:
        raise TemporaryError(
            "ConfigMapNotFound",
            f"{path}: there is no ConfigMap {name} in namespace {context.namespace}; create it",
        )
    present = set(body.get("data") or {}) | set(body.get("binaryData") or {})
    missing = [key for key in keys if key not in present]
    if missing:
        raise TemporaryError(
            "ConfigMapKeyNotFound",
            f"{path}: ConfigMap {name} has no key {', '.join(missing)};"
            f" it has {', '.join(sorted(present)) or 'none'}",
        )
