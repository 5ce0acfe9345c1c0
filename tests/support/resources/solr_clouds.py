"""A SolrCloud that the Solr Operator brought up, as it shows it (v0.10.0-prerelease)."""

from typing import Any

from solrbench.manifests.solr_cloud import POD_OPTIONS
from support.resources.objects import operated_target
from support.resources.small_resource import Changes

CREATED = "2026-01-01T00:00:00Z"
OPENAPI_PATH = "/openapi/v3/apis/solr.apache.org/v1beta1"


def published_schema(*options: str) -> dict[str, Any]:
    """Return what matters of this document of Kubernetes 1.34, with these fields of pod options."""
    schema: dict[str, Any] = {"properties": {option: {"type": "object"} for option in options}}
    for part in reversed(POD_OPTIONS):
        schema = {"type": "object", "properties": {part: schema}}
    kind = {"group": "solr.apache.org", "kind": "SolrCloud", "version": "v1beta1"}
    schema["x-kubernetes-group-version-kind"] = [kind]
    schemas = {
        "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": {"type": "object"},
        "org.apache.solr.v1beta1.SolrCloud": schema,
    }
    return {"openapi": "3.0.0", "components": {"schemas": schemas}}


def stored_cloud(changes: Changes | None = None) -> dict[str, Any]:
    """Return a SolrCloud that was made and not yet seen by the Solr Operator."""
    cloud = operated_target(changes)
    cloud["metadata"] |= {"uid": "c1", "generation": 1, "creationTimestamp": CREATED}
    return cloud


def as_ready(cloud: dict[str, Any]) -> dict[str, Any]:
    """Return a SolrCloud with the status of one that is up."""
    nodes, name = cloud["spec"]["replicas"], cloud["metadata"]["name"]
    node = {"ready": True, "specUpToDate": True, "scheduledForDeletion": False}
    return cloud | {
        "status": {
            "replicas": nodes,
            "readyReplicas": nodes,
            "upToDateNodes": nodes,
            "version": cloud["spec"]["solrImage"]["tag"],
            "podSelector": f"solr-cloud={name},technology=solr-cloud",
            "solrNodes": [node | {"name": f"{name}-solrcloud-{i}"} for i in range(nodes)],
        }
    }


def ready_cloud(changes: Changes | None = None) -> dict[str, Any]:
    return as_ready(stored_cloud(changes))


def stateful_set_of(cloud: dict[str, Any]) -> dict[str, Any]:
    """Return the StatefulSet of a SolrCloud, whose labels it has, with all pods ready."""
    metadata, spec = cloud["metadata"], cloud["spec"]
    name, labels = metadata["name"], metadata["labels"]
    owner = {key: cloud[key] for key in ("apiVersion", "kind")}
    named = {key: metadata[key] for key in ("name", "uid")}
    container = {
        "name": "solrcloud-node",
        "image": f"{spec['solrImage']['repository']}:{spec['solrImage']['tag']}",
        "env": [{"name": "SOLR_JAVA_MEM", "value": spec["solrJavaMem"]}],
    }
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": f"{name}-solrcloud",
            "namespace": metadata["namespace"],
            "generation": 1,
            "annotations": {"solr.apache.org/zkConnectionString": f"zk:2181/search-{name}"},
            "labels": labels | {"solr-cloud": name},
            "ownerReferences": [owner | named | {"controller": True}],
        },
        "spec": {"replicas": spec["replicas"], "template": template},
        "status": {"observedGeneration": 1, "readyReplicas": spec["replicas"]},
    }


def ready_stateful_set(changes: Changes | None = None) -> dict[str, Any]:
    return stateful_set_of(stored_cloud(changes))
