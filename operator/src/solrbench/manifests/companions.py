"""The objects of companions: named, labelled, owned and secured as everything of a benchmark."""

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.names import COMPANION, LABEL_COMPANION
from solrbench.manifests.common import (
    Manifest,
    build_disruption_budget,
    config_map,
    metadata,
    pull_secrets,
)
from solrbench.manifests.companion_objects import (
    CompanionBundle,
    ConfigMap,
    Container,
    Deployment,
    PodSpec,
    Service,
    Volume,
)
from solrbench.manifests.pods import placement, pod_metadata, pod_security, pod_variables


def build_companions(
    benchmark: SolrBenchmark, bundle: CompanionBundle, attempt: int
) -> list[Manifest]:
    """Return all objects, each before those that need it."""
    return [
        *(
            config_map(_metadata(benchmark, each, attempt), data=dict(each.data))
            for each in bundle.config_maps
        ),
        *(_service(benchmark, each, attempt) for each in bundle.services),
        *(_budget(benchmark, each, attempt) for each in bundle.deployments),
        *(_deployment(benchmark, each, attempt) for each in bundle.deployments),
    ]


def _metadata(
    benchmark: SolrBenchmark, body: Deployment | Service | ConfigMap, attempt: int
) -> Manifest:
    name = names.companion(benchmark.metadata.name, body.metadata.name)
    manifest_metadata = metadata(benchmark, COMPANION, attempt, name)
    own = {LABEL_COMPANION: body.metadata.name} if isinstance(body, Deployment) else {}
    manifest_metadata["labels"] = body.metadata.labels | manifest_metadata["labels"] | own
    return manifest_metadata


def _service(benchmark: SolrBenchmark, body: Service, attempt: int) -> Manifest:
    selector = body.spec.selector or {LABEL_COMPANION: body.metadata.name}
    return {
        "apiVersion": body.api_version,
        "kind": body.kind,
        "metadata": _metadata(benchmark, body, attempt),
        "spec": plain(body.spec)
        | {"type": "ClusterIP", "selector": selector | names.selector(benchmark, COMPANION)},
    }


def _selector(benchmark: SolrBenchmark, body: Deployment) -> Manifest:
    own = {LABEL_COMPANION: body.metadata.name}
    return {"matchLabels": names.selector(benchmark, COMPANION) | own}


def _budget(benchmark: SolrBenchmark, body: Deployment, attempt: int) -> Manifest:
    disruption_budget = build_disruption_budget(benchmark, COMPANION, attempt, body.spec.replicas)
    disruption_budget["metadata"] = _metadata(benchmark, body, attempt)
    disruption_budget["spec"]["selector"] = _selector(benchmark, body)
    return disruption_budget


def _deployment(benchmark: SolrBenchmark, body: Deployment, attempt: int) -> Manifest:
    meta, template = _metadata(benchmark, body, attempt), body.spec.template
    labels = template.metadata.labels | meta["labels"]
    return {
        "apiVersion": body.api_version,
        "kind": body.kind,
        "metadata": meta,
        "spec": {
            "replicas": body.spec.replicas,
            "selector": _selector(benchmark, body),
            "strategy": {"type": "Recreate"},
            "template": {
                "metadata": pod_metadata(benchmark, COMPANION, labels),
                "spec": _pod(benchmark, template.spec),
            },
        },
    }


def _pod(benchmark: SolrBenchmark, pod: PodSpec) -> Manifest:
    given = {} if pod.security_context is None else plain(pod.security_context)
    pod_spec: Manifest = {
        **placement(benchmark, COMPANION),
        **pull_secrets(pod.image_pull_secrets),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": pod.termination_grace_period_seconds or 1,
        # What Pod Security asks for, and the user and groups of manifest and benchmark.
        "securityContext": given | pod_security(benchmark, COMPANION, None),
        "containers": [_container(benchmark, each) for each in pod.containers],
        "volumes": [_volume(benchmark, each) for each in pod.volumes],
    }
    if pod.init_containers:
        pod_spec["initContainers"] = [_container(benchmark, each) for each in pod.init_containers]
    return pod_spec


def _container(benchmark: SolrBenchmark, container: Container) -> Manifest:
    """Return a container without privileges; what a manifest may say of them is the same."""
    manifest: Manifest = plain(container)
    manifest["securityContext"] = manifest.get("securityContext", {}) | {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    variables = manifest.get("env", [])
    for each in variables:
        if source := each.get("valueFrom", {}).get("configMapKeyRef"):
            source["name"] = names.companion(benchmark.metadata.name, source["name"])
    if found_env := pod_variables(benchmark, COMPANION, variables):
        manifest["env"] = found_env
    return manifest


def _volume(benchmark: SolrBenchmark, volume: Volume) -> Manifest:
    manifest: Manifest = plain(volume)
    if volume.config_map is not None:
        own = names.companion(benchmark.metadata.name, volume.config_map.name)
        manifest["configMap"]["name"] = own
    return manifest
