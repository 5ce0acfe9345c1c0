"""What a benchmark runs on, from the Kubernetes API."""

from collections.abc import Sequence
from typing import Any

from solrbench.api.quantities import parse_quantity
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster, Manifest
from solrbench.cluster.owned_objects import list_labelled
from solrbench.errors import TemporaryError
from solrbench.plan.names import (
    COMPANION,
    INDEX,
    LABEL_COMPONENT,
    SOLR,
    ZOOKEEPER,
)
from solrbench.results.model.environment import (
    AttemptRecord,
    Environment,
    NodeRecord,
    seeds,
    spec_hash,
)
from solrbench.results.model.measured_target import MeasuredTarget


def record_environment(
    cluster: Cluster, benchmark: SolrBenchmark, jvm_version: str | None
) -> Environment:
    """Return what the pods of a benchmark run on right now."""
    pods = list_labelled(cluster, benchmark, "v1", "Pod")
    images, status = _images(pods), benchmark.status
    return Environment(
        spec_hash=spec_hash(benchmark.spec),
        seeds=seeds(benchmark.spec),
        images=images,
        solr_version=benchmark.status.target.solr_version,
        jvm_version=jvm_version,
        nodes=[_node(cluster, name) for name in sorted(_node_names(pods))],
        attempts=[
            AttemptRecord(
                target=status.attempts.target,
                load=status.attempts.load,
                images=images,
                solr_version=status.target.solr_version,
                jvm_version=jvm_version,
                nodes=_nodes_by_component(benchmark, pods),
                pods=_nodes_by_pod(pods),
                documents=status.dataset.documents,
                deleted_documents=status.dataset.deleted_documents,
            )
        ],
    )


def record_target(cluster: Cluster, benchmark: SolrBenchmark) -> MeasuredTarget:
    """Return the pods, nodes and images that a benchmark measures right now.

    Args:
        cluster: where its pods are
        benchmark: with the status of now

    """
    found = list_labelled(cluster, benchmark, "v1", "Pod")
    pods = [each for each in found if _is_of_target(each)]
    existing = benchmark.status.target.nodes
    return MeasuredTarget(
        attempt=benchmark.status.attempts.target,
        pods={each["metadata"]["name"]: each["metadata"]["uid"] for each in pods} | existing,
        nodes=_nodes_by_pod(pods),
        images=_images(pods),
    )


def _is_of_target(pod: Manifest) -> bool:
    return pod["metadata"]["labels"].get(LABEL_COMPONENT) in (SOLR, ZOOKEEPER, COMPANION)


def _nodes_by_component(benchmark: SolrBenchmark, pods: Sequence[Manifest]) -> dict[str, list[str]]:
    """Return where each component runs; for an existing target its Solr nodes are all there is."""
    found: dict[str, set[str]] = {}
    if benchmark.spec.target.existing is not None:
        found[SOLR] = set(benchmark.status.target.nodes)
    for pod in pods:
        node = (pod.get("spec") or {}).get("nodeName")
        component = pod["metadata"]["labels"].get(LABEL_COMPONENT, "")
        if node and component != INDEX:
            found.setdefault(component, set()).add(node)
    return {component: sorted(nodes) for component, nodes in sorted(found.items())}


def _nodes_by_pod(pods: Sequence[Manifest]) -> dict[str, str]:
    """Return the node of each pod that has one."""
    return {
        each["metadata"]["name"]: node
        for each in pods
        if (node := (each.get("spec") or {}).get("nodeName"))
    }


def _images(pods: Sequence[Manifest]) -> dict[str, str]:
    """Return component to image, with the digest where the kubelet knows it."""
    found = {}
    for pod in pods:
        component = pod["metadata"]["labels"].get(LABEL_COMPONENT, "")
        for status in (pod.get("status") or {}).get("containerStatuses") or []:
            digest = status.get("imageID", "").rpartition("@")[2]
            image = status.get("image", "")
            found[component] = f"{image}@{digest}" if digest.startswith("sha256:") else image
    return found


def _node_names(pods: Sequence[Manifest]) -> set[str]:
    return {name for pod in pods if (name := (pod.get("spec") or {}).get("nodeName"))}


def _node(cluster: Cluster, name: str) -> NodeRecord:
    """Return what is known of a node; only its name where nodes may not be read."""
    try:
        body: dict[str, Any] | None = cluster.get("v1", "Node", "", name)
    except TemporaryError:
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
