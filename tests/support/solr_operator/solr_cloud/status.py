"""The status of a SolrCloud, computed from its StatefulSet and its pods."""

from typing import Any

from support.solr_operator import names
from support.solr_operator.solr_cloud.containers import NODE_CONTAINER

Body = dict[str, Any]


def build_status(cloud: Body, stateful_set: Body, pods: list[Body], zookeeper: Body) -> Body:
    """Return the whole status; absent is what the real one leaves out when it is empty."""
    wanted = cloud["spec"]["solrImage"]["tag"]
    revision = stateful_set.get("status", {}).get("updateRevision", "")
    nodes = sorted((_node(cloud, pod, revision) for pod in pods), key=lambda node: node["name"])
    others = [node["version"] for node in nodes if node["version"] not in ("", wanted)]
    selector = ",".join(f"{key}={value}" for key, value in sorted(names.selector(cloud).items()))
    port = cloud["spec"]["solrAddressability"]["commonServicePort"]
    suffix = "" if port == 80 else f":{port}"
    body = {
        "solrNodes": nodes,
        "replicas": stateful_set.get("status", {}).get("replicas", 0),
        "podSelector": selector,
        "readyReplicas": sum(node["ready"] for node in nodes),
        "upToDateNodes": sum(node["specUpToDate"] for node in nodes),
        "version": others[0] if others else wanted,
        "internalCommonAddress": f"http://{names.common_host(cloud)}{suffix}",
        "zookeeperConnectionInfo": zookeeper,
    }
    return body | ({"targetVersion": wanted} if others else {})


def agrees(status: Body, stateful_set: Body) -> bool:
    """Return whether pods and StatefulSet agree; if not, the status is not written."""
    other = stateful_set.get("status", {})
    pairs = {
        "readyReplicas": "readyReplicas",
        "replicas": "replicas",
        "upToDateNodes": "updatedReplicas",
    }
    return all(status[ours] == other.get(theirs, 0) for ours, theirs in pairs.items())


def _node(cloud: Body, pod: Body, revision: str) -> Body:
    name = names.name_of(pod)
    status = pod.get("status", {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or []}
    port = cloud["spec"]["solrAddressability"]["podPort"]
    own_revision = pod["metadata"].get("labels", {}).get("controller-revision-hash")
    return {
        "name": name,
        "nodeName": pod["spec"].get("nodeName", ""),
        "internalAddress": f"http://{names.node_host(cloud, name)}:{port}",
        "ready": conditions.get("Ready") == "True",
        "scheduledForDeletion": conditions.get(names.NOT_STOPPED) == "False",
        "specUpToDate": revision in ("", own_revision),
        "version": _version(pod) if status.get("containerStatuses") else "",
    }


def _version(pod: Body) -> str:
    """Return the tag of the image that Solr runs from."""
    images = [each["image"] for each in pod["spec"]["containers"] if each["name"] == NODE_CONTAINER]
    return str(images[0]).rpartition(":")[2]
