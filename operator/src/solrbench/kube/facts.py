"""What the Kubernetes API says of a benchmark's surroundings: nodes, definitions, objects, Secrets.

Secrets are read and never kept.
"""

import binascii
from base64 import b64decode
from collections.abc import Sequence

from solrbench.api.quantities import parse_quantity
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import Existing
from solrbench.contract import names
from solrbench.contract.environment import (
    AttemptRecord,
    Environment,
    MeasuredTarget,
    NodeRecord,
    seeds,
    spec_hash,
)
from solrbench.contract.load_plan import PASSWORD, USERNAME
from solrbench.decide.evidence import add_entry
from solrbench.decide.solr_cloud import CONTAINER
from solrbench.decide.views import PodView, view_pod
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import read_owned_config_map
from solrbench.manifests.results import build_diagnostics
from solrbench.net.http import HttpAuth, basic_auth
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason

KINDS = "x-kubernetes-group-version-kind"


def known_fields(
    cluster: Cluster, api_version: str, kind: str, path: tuple[str, ...]
) -> frozenset[str]:
    """Return the names of the fields at `path` of a kind, as the API server publishes them.

    The OpenAPI document needs no right to read definitions.

    Raises:
        TemporaryError: if the document does not hold the kind (yet): it follows a new definition.
    """
    document = cluster.read(f"/openapi/v3/apis/{api_version}") or {}
    group, _, version = api_version.partition("/")
    wanted = {"group": group, "version": version, "kind": kind}
    schemas = document.get("components", {}).get("schemas", {}).values()
    node = next((schema for schema in schemas if wanted in schema.get(KINDS, [])), None)
    if node is None:
        raise TemporaryError(
            TargetReason.SCHEMA_NOT_PUBLISHED,
            f"the API server has not published the schema of {kind}",
        )
    for part in path:
        node = node.get("properties", {}).get(part, {})
    return frozenset(node.get("properties", {}))


def list_labelled(
    cluster: Cluster, benchmark: SolrBenchmark, api_version: str, kind: str
) -> Sequence[Manifest]:
    """Return a benchmark's objects of a kind, and those of a target that it shares."""
    namespace, own = benchmark.metadata.namespace, benchmark.metadata.name
    target = names.target(benchmark)

    def read(name: str) -> Sequence[Manifest]:
        return cluster.list(api_version, kind, namespace, {names.LABEL_BENCHMARK: name})

    return read(own) if target == own else [*read(own), *filter(is_of_nodes, read(target))]


def is_of_nodes(body: Manifest) -> bool:
    """Return whether an object is one of Solr or ZooKeeper."""
    return (body["metadata"].get("labels") or {}).get(names.LABEL_COMPONENT) in names.NODES


def record_environment(
    cluster: Cluster, benchmark: SolrBenchmark, jvm_version: str | None
) -> Environment:
    """Return what the pods of a benchmark run on right now."""
    pods = list_labelled(cluster, benchmark, "v1", "Pod")
    images, status = _images(pods), benchmark.status
    views = [view_pod(pod) for pod in pods]
    nodes = _nodes_by_pod(views)
    return Environment(
        spec_hash=spec_hash(benchmark.spec),
        seeds=seeds(benchmark.spec),
        images=images,
        solr_version=status.target.solr_version,
        jvm_version=jvm_version,
        nodes=[_node(cluster, name) for name in sorted(set(nodes.values()))],
        attempts=[
            AttemptRecord(
                target=status.attempts.target,
                load=status.attempts.load,
                images=images,
                solr_version=status.target.solr_version,
                jvm_version=jvm_version,
                nodes=_nodes_by_component(benchmark, views),
                pods=nodes,
                documents=status.dataset.documents,
                deleted_documents=status.dataset.deleted_documents,
            )
        ],
    )


def record_target(cluster: Cluster, benchmark: SolrBenchmark) -> MeasuredTarget:
    """Return the pods, nodes and images that a benchmark measures right now, by its status."""
    pods = [
        pod
        for pod in list_labelled(cluster, benchmark, "v1", "Pod")
        if pod["metadata"]["labels"].get(names.LABEL_COMPONENT) in names.SERVERS
    ]
    views, existing = [view_pod(pod) for pod in pods], benchmark.status.target.nodes
    return MeasuredTarget(
        attempt=benchmark.status.attempts.target,
        pods={view.name: view.identity for view in views} | existing,
        nodes=_nodes_by_pod(views),
        images=_images(pods),
    )


def _nodes_by_component(benchmark: SolrBenchmark, pods: Sequence[PodView]) -> dict[str, list[str]]:
    """Return where each component runs; for an existing target its Solr nodes are all there is."""
    nodes_by_component: dict[str, set[str]] = {}
    if benchmark.spec.target.existing is not None:
        nodes_by_component[names.SOLR] = set(benchmark.status.target.nodes)
    for pod in pods:
        # Index pods have ended when the load begins: their nodes are no part of what is measured.
        if pod.node and pod.component != names.INDEX:
            nodes_by_component.setdefault(pod.component, set()).add(pod.node)
    return {component: sorted(nodes) for component, nodes in sorted(nodes_by_component.items())}


def _nodes_by_pod(pods: Sequence[PodView]) -> dict[str, str]:
    """Return the node of each pod that has one; a pod that is not scheduled yet has none."""
    return {pod.name: pod.node for pod in pods if pod.node}


def _images(pods: Sequence[Manifest]) -> dict[str, str]:
    """Return component to image, with the digest where the kubelet knows it.

    Containers of companions, and those that others add, have their own name behind a slash.
    """
    images = {}
    for pod in pods:
        labels = pod["metadata"]["labels"]
        component = labels.get(names.LABEL_COMPONENT, "")
        companion = labels.get(names.LABEL_COMPANION)
        for status in (pod.get("status") or {}).get("containerStatuses") or []:
            if status["name"] == names.AGENT:
                continue
            key = component
            if companion or status["name"] not in (component, CONTAINER):
                key = "/".join(filter(None, (component, companion, status["name"])))
            # A tag may move between attempts. An image loaded into the node has no digest.
            digest = status.get("imageID", "").rpartition("@")[2]
            image = status.get("image", "")
            images[key] = f"{image}@{digest}" if digest.startswith("sha256:") else image
    return images


def _node(cluster: Cluster, name: str) -> NodeRecord:
    """Return what is known of a node; only its name where nodes may not be read."""
    try:
        body = cluster.get("v1", "Node", "", name)
    except ForbiddenError:  # an operator of one namespace has no rights to objects of the cluster
        body = None
    if body is None:
        return NodeRecord(name=name)
    status = body.get("status") or {}
    info, capacity = status.get("nodeInfo") or {}, status.get("capacity") or {}
    labels = body["metadata"].get("labels") or {}
    cores = parse_quantity(str(capacity.get("cpu", "")))
    memory = parse_quantity(str(capacity.get("memory", "")))
    return NodeRecord(
        name=name,
        cpu_cores=None if cores is None else float(cores),
        memory_bytes=None if memory is None else int(memory),
        kernel=info.get("kernelVersion"),
        architecture=info.get("architecture"),
        instance_type=labels.get("node.kubernetes.io/instance-type"),
        zone=labels.get("topology.kubernetes.io/zone"),
        os_image=info.get("osImage"),
        container_runtime=info.get("containerRuntimeVersion"),
        kubelet_version=info.get("kubeletVersion"),
    )


def secret_auth(cluster: Cluster, namespace: str, existing: Existing) -> HttpAuth:
    """Return credentials and trust for an existing target.

    It raises `TemporaryError` with `SecretNotFound` if a Secret, or a key of it, is missing, which
    may be made later, and with `SecretNotReadable` if the operator has no right to read it.
    """
    authorization = ca = None
    if existing.basic_auth is not None:
        name, path = existing.basic_auth.secret.name, "target.existing.basicAuth.secret.name"
        data = _data(cluster, namespace, name, path)
        authorization = basic_auth(
            _text(data, USERNAME, name, path), _text(data, PASSWORD, name, path)
        )
    if existing.tls is not None:
        key, path = existing.tls.ca_secret, "target.existing.tls.caSecret"
        ca = _text(_data(cluster, namespace, key.name, path), key.key, key.name, path)
    return HttpAuth(authorization, ca)


def _data(cluster: Cluster, namespace: str, name: str, path: str) -> dict[str, str]:
    try:
        body = cluster.get("v1", "Secret", namespace, name)
    except ForbiddenError as error:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_READABLE,
            f"{path}: the operator is not allowed to read Secrets; set rbac.secrets of its chart"
            " to true",
        ) from error
    if body is None:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND,
            f"{path}: there is no Secret {name} in namespace {namespace}; create it",
        )
    data: dict[str, str] = body.get("data") or {}
    return data


def _text(data: dict[str, str], key: str, name: str, path: str) -> str:
    if key not in data:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND, f"{path}: Secret {name} has no key {key}; add it"
        )
    try:
        # `kubectl create secret --from-file` keeps the newline with which editors end a file.
        return b64decode(data[key]).decode("utf-8").rstrip("\r\n")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND,
            f"{path}: key {key} of Secret {name} is not text in UTF-8; correct it",
        ) from error


def read_diagnostics(cluster: Cluster, benchmark: SolrBenchmark) -> dict[str, str]:
    """Return what was kept, oldest first; nothing if there was no failure."""
    body = read_owned_config_map(cluster, benchmark, names.evidence(benchmark)) or {}
    # Each text begins with its time, so that texts sort by age.
    return dict(sorted((body.get("data") or {}).items(), key=lambda entry: entry[1]))


def store_diagnostics(cluster: Cluster, benchmark: SolrBenchmark, key: str, text: str) -> None:
    """Add an entry to what is kept; the oldest go where there is no room."""
    entries = add_entry(read_diagnostics(cluster, benchmark), key, text)
    cluster.apply(build_diagnostics(benchmark, entries))
