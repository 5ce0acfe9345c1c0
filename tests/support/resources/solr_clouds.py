"""A SolrCloud that the Solr Operator brought up, as it shows it (v0.10.0-prerelease)."""

from typing import Any

from solrbench.manifests.solr_cloud import POD_OPTIONS
from support.resources.objects import operated_target
from support.resources.small_resource import Changes

CREATED = "2026-01-01T00:00:00Z"
NAME = "base-solrcloud"
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


def ready_cloud(changes: Changes | None = None) -> dict[str, Any]:
    """Return a SolrCloud with the status of one that is up."""
    cloud = stored_cloud(changes)
    nodes = cloud["spec"]["replicas"]
    node = {"ready": True, "specUpToDate": True, "scheduledForDeletion": False}
    return cloud | {
        "status": {
            "replicas": nodes,
            "readyReplicas": nodes,
            "upToDateNodes": nodes,
            "version": cloud["spec"]["solrImage"]["tag"],
            "podSelector": "solr-cloud=base,technology=solr-cloud",
            "solrNodes": [node | {"name": f"{NAME}-{i}"} for i in range(nodes)],
        }
    }


def ready_stateful_set(changes: Changes | None = None) -> dict[str, Any]:
    """Return the StatefulSet of the same; it has the labels of the SolrCloud."""
    cloud = stored_cloud(changes)
    spec = cloud["spec"]
    owner = {key: cloud[key] for key in ("apiVersion", "kind")}
    named = {key: cloud["metadata"][key] for key in ("name", "uid")}
    container = {
        "name": "solrcloud-node",
        "image": f"{spec['solrImage']['repository']}:{spec['solrImage']['tag']}",
        "env": [{"name": "SOLR_JAVA_MEM", "value": spec["solrJavaMem"]}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": NAME,
            "namespace": "search",
            "generation": 1,
            "annotations": {"solr.apache.org/zkConnectionString": "zk:2181/search-base"},
            "labels": cloud["metadata"]["labels"] | {"solr-cloud": "base"},
            "ownerReferences": [owner | named | {"controller": True}],
        },
        "spec": {"replicas": spec["replicas"], "template": {"spec": {"containers": [container]}}},
        "status": {"observedGeneration": 1, "readyReplicas": spec["replicas"]},
    }
