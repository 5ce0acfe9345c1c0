"""The companions of a target: read, made, waited for and watched."""

import hashlib
import json
from urllib.parse import urlsplit

from solrbench.api.v1alpha1.collection import Companion
from solrbench.api.v1alpha1.status import CompanionsStatus
from solrbench.contract import names
from solrbench.contract.endpoints import DEFAULT_PORTS
from solrbench.controller import objects
from solrbench.controller.context import ReconcileContext
from solrbench.decide.companions import (
    CompanionPods,
    available_pods,
    check_companions,
    check_companions_unchanged,
    check_same_manifests,
)
from solrbench.decide.hosts import qualify
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.references import SECRETS, ReferredObject, check_object
from solrbench.decide.views import PodView
from solrbench.manifests.agent import add_companion_agents
from solrbench.manifests.companion_bundle import ManifestText, parse_bundle
from solrbench.manifests.companion_objects import BundleScope, CompanionBundle
from solrbench.manifests.companions import build_companions


def read_companions(context: ReconcileContext) -> tuple[CompanionBundle, str]:
    """Return the objects that the ConfigMaps describe now, and the digest of their texts."""
    wanted = context.benchmark.spec.companions
    texts = [text for index, each in enumerate(wanted) for text in _texts(context, index, each)]
    allowed = context.settings.allowed_pod_options
    scope = BundleScope(
        context.benchmark.metadata.name,
        context.namespace,
        _values(context),
        allows_secrets=SECRETS in allowed,
        allows_labels="labels" in allowed,
    )
    bundle = parse_bundle(texts, scope)
    digest = hashlib.sha256(json.dumps([(each.place, each.text) for each in texts]).encode())
    return bundle, digest.hexdigest()


def _texts(context: ReconcileContext, index: int, companion: Companion) -> list[ManifestText]:
    name, key = companion.config_map.name, companion.config_map.key
    path = f"spec.companions[{index}].configMap"
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    data: dict[str, str] = ({} if body is None else body).get("data") or {}
    keys = sorted(data) if key is None else [key]
    reference = ReferredObject(path, "ConfigMap", name, context.namespace)
    # Without binary data: a manifest is text.
    apply_outcome(check_object(reference, keys, None if body is None else {"data": data}))
    return [
        ManifestText(f"{path} {name}, key {each}", data[each], companion.values) for each in keys
    ]


def _values(context: ReconcileContext) -> dict[str, str]:
    urls = context.endpoint.urls
    hosts = [
        each.netloc if each.port else f"{each.netloc}:{DEFAULT_PORTS[each.scheme]}"
        for each in (urlsplit(url) for url in urls)
    ]
    # Nodes that are made have names below that of their headless Service.
    service = hosts[0] if context.existing is not None else hosts[0].partition(".")[2]
    return {
        "BENCHMARK": context.benchmark.metadata.name,
        "NAMESPACE": context.namespace,
        "COLLECTION": names.collection(context.benchmark),
        "SOLR_URL": urls[0],
        "SOLR_URLS": ",".join(urls),
        "SOLR_HOSTS": ",".join(hosts),
        "SOLR_SERVICE": service,
    }


def ensure_companions(context: ReconcileContext) -> None:
    """Make the companions, and wait until all their pods are available."""
    if not context.benchmark.spec.companions:
        return
    bundle, digest = read_companions(context)
    known = context.status.companions or CompanionsStatus()
    apply_outcome(check_same_manifests(known.sha256, digest))
    services = [service.metadata.name for service in bundle.services]
    context.update(companions=CompanionsStatus(sha256=digest, services=services))
    attempt = context.status.attempts.target
    manifests = build_companions(context.benchmark, bundle, attempt)
    image = context.settings.image
    for manifest in add_companion_agents(context.benchmark, image, manifests, attempt):
        context.cluster.apply(manifest)
    observed_pods = _observe(context, bundle)
    apply_outcome(check_companions(observed_pods))
    context.update_part("companions", pods={pod.name: pod.identity for pod in observed_pods.pods})


def _observe(context: ReconcileContext, bundle: CompanionBundle) -> CompanionPods:
    every = objects.pods(context, names.COMPANION)
    # One that was evicted stays beside the one that replaces it.
    seen = [pod for pod in every if pod.phase not in ("Failed", "Succeeded")]
    benchmark_name = context.benchmark.metadata.name
    wanted = {
        names.companion(benchmark_name, each.metadata.name): each.spec.replicas
        for each in bundle.deployments
    }
    available = {
        name: available_pods(context.cluster.get("apps/v1", "Deployment", context.namespace, name))
        for name in wanted
    }
    creation = (
        objects.creation_problem(context, "Deployment", name, bundle.pods, seen) for name in wanted
    )
    refused = next((each for each in creation if each is not None), None)
    return CompanionPods(seen, context.now, available, wanted, creation=refused)


def companion_pods(context: ReconcileContext) -> list[PodView]:
    """Return the pods of the companions."""
    return objects.pods(context, names.COMPANION) if context.benchmark.spec.companions else []


def verify_companions(context: ReconcileContext, pods: list[PodView]) -> None:
    """Check that every pod of the companions is the one that was there when all were ready."""
    known = context.status.companions
    if known is not None:
        apply_outcome(check_companions_unchanged(known.pods, pods, context.now))


def variant_url(context: ReconcileContext, url: str) -> str:
    """Return the URL of a variant, whose host may be the name of a Service of the companions."""
    known, benchmark_name = context.status.companions, context.benchmark.metadata.name
    hosts = {
        name: f"{names.companion(benchmark_name, name)}.{context.namespace}.svc"
        for name in (known.services if known is not None else ())
    }
    return qualify(url, context.namespace, hosts)
