"""One reconcile of a SolrCloud: from whatever is there towards what its spec says.

As in the real one, the reconcile of a SolrCloud that is being deleted is the same.
"""

import copy
from datetime import UTC, datetime
from typing import Any

from support.solr_operator import names
from support.solr_operator.containers import NODE_CONTAINER
from support.solr_operator.names import Copies
from support.solr_operator.objects import Store
from support.solr_operator.stateful_set import (
    build_budget,
    build_config_map,
    build_services,
    build_stateful_set,
)
from support.solr_operator.zookeeper import build_zookeeper_cluster, connection_info

Body = dict[str, Any]

SOLR_IMAGE = {"repository": "library/solr", "tag": "9.10.0"}
BUSYBOX_IMAGE = {"repository": "library/busybox", "tag": "1.28.0-glibc"}
ZOOKEEPER_IMAGE = {"repository": "pravega/zookeeper", "pullPolicy": "IfNotPresent"}


def with_defaults(spec: Body) -> Body:
    """Return the spec as the operator stores it; what was given stays."""
    found = copy.deepcopy(spec)
    found.setdefault("replicas", 3)
    found.setdefault("solrJavaMem", "-Xms1g -Xmx2g")
    found.setdefault("solrLogLevel", "INFO")
    found.setdefault("customSolrKubeOptions", {})
    found.setdefault("dataStorage", {})
    _fill(found, "solrAddressability", {"podPort": 8983, "commonServicePort": 80})
    _fill(found, "updateStrategy", {"method": "Managed", "managed": {}})
    _fill(found, "scaling", {"populatePodsOnScaleUp": True, "vacatePodsOnScaleDown": True})
    _fill(found, "solrImage", SOLR_IMAGE)
    _fill(found, "busyBoxImage", BUSYBOX_IMAGE)
    budget = found.setdefault("availability", {})
    _fill(budget, "podDisruptionBudget", {"enabled": True, "method": "ClusterWide"})
    if "persistent" in found["dataStorage"]:
        _fill(found["dataStorage"], "persistent", {"reclaimPolicy": "Retain"})
    found["zookeeperRef"] = _zookeeper(found.get("zookeeperRef") or {})
    return found


def _zookeeper(given: Body) -> Body:
    """Return the reference; an outside connection wins over a provided ensemble."""
    if "connectionInfo" in given:
        info = given["connectionInfo"]
        return {"connectionInfo": info | {"chroot": _chroot(info)}}
    provided = given.get("provided") or {}
    filled = provided | {"chroot": _chroot(provided)}
    filled.setdefault("replicas", 3)
    _fill(filled, "image", ZOOKEEPER_IMAGE)
    if "persistence" in filled:
        claim = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "5Gi"}},
        }
        _fill(filled, "persistence", {"reclaimPolicy": "Retain"})
        _fill(filled["persistence"], "spec", claim)
    return {"provided": filled}


def _chroot(given: Body) -> str:
    path: str = given.get("chroot") or "/"
    return path if path.startswith("/") else f"/{path}"


def _fill(parent: Body, key: str, values: Body) -> None:
    """Add the values that are not given."""
    parent[key] = values | (parent.get(key) or {})


MESSAGES = {
    names.NOT_STOPPED: "Pod has not yet been stopped",
    names.NOT_EVICTED: "Replicas have not yet been evicted",
}


def open_gates(pod: Body, now: str) -> list[Body]:
    """Return the conditions that a pod still needs, as of `now` (RFC 3339)."""
    known = {
        each["type"] for each in pod.get("status", {}).get("conditions") or [] if each.get("reason")
    }
    wanted = [each["conditionType"] for each in pod["spec"].get("readinessGates") or []]
    return [
        {
            "type": gate,
            "status": "True",
            "reason": "PodStarted",
            "message": MESSAGES[gate],
            "lastProbeTime": now,
            "lastTransitionTime": now,
        }
        for gate in wanted
        if gate in MESSAGES and gate not in known
    ]


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


class SolrClouds:
    """The SolrClouds of a namespace."""

    def __init__(self, objects: Store, copies: Copies) -> None:
        self._objects = objects
        self._copies = copies

    def reconcile(self, name: str) -> bool:
        """Reconcile once; return whether the next one must follow soon by itself."""
        cloud = self._objects.get(names.SOLR_CLOUD, name)
        if cloud is None:
            return False
        spec = with_defaults(cloud["spec"])
        if spec != cloud["spec"]:
            self._objects.replace(cloud | {"spec": spec})
            return True
        zookeeper = self._zookeeper(cloud)
        for body in (*build_services(cloud), build_config_map(cloud)):
            self._objects.apply(body)
        there = self._objects.get(names.STATEFUL_SET, names.stateful_set(cloud))
        applied = self._objects.apply(build_stateful_set(cloud, zookeeper, self._copies))
        if there is None:
            return False  # its events trigger the next reconcile
        return self._follow(cloud, applied, zookeeper)

    def _zookeeper(self, cloud: Body) -> Body:
        body = build_zookeeper_cluster(cloud)
        if body is not None:
            self._objects.apply(body)
        return connection_info(cloud)

    def _follow(self, cloud: Body, stateful_set: Body, zookeeper: Body) -> bool:
        """Do all that needs the StatefulSet."""
        cloud = self._keep_finalizer(cloud)
        pods = self._open_gates(cloud, stateful_set)
        status = build_status(cloud, stateful_set, pods, zookeeper)
        if not agrees(status, stateful_set):
            return True
        budget = build_budget(cloud)
        if budget is not None:
            self._objects.apply(budget)
        else:
            self._objects.delete(names.BUDGET, names.stateful_set(cloud))
        if status != cloud.get("status"):
            self._objects.replace_status(cloud | {"status": status})
        return False

    def _open_gates(self, cloud: Body, stateful_set: Body) -> list[Body]:
        owner = stateful_set["metadata"]["uid"]
        pods = [
            pod
            for pod in self._objects.select(names.POD, names.selector(cloud))
            if any(each["uid"] == owner for each in pod["metadata"].get("ownerReferences", []))
        ]
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for pod in pods:
            conditions = open_gates(pod, now)
            if conditions:
                self._objects.add_conditions(pod, conditions)
        return pods

    def _keep_finalizer(self, cloud: Body) -> Body:
        """Hold a cloud whose claims go with it until they are deleted."""
        persistent = cloud["spec"]["dataStorage"].get("persistent") or {}
        deletes = persistent.get("reclaimPolicy") == "Delete"
        finalizers = cloud["metadata"].get("finalizers") or []
        held = names.STORAGE_FINALIZER in finalizers
        dying = "deletionTimestamp" in cloud["metadata"]
        if deletes and dying and held:
            for claim in self._objects.select(names.CLAIM, names.selector(cloud)):
                self._objects.delete(names.CLAIM, names.name_of(claim))
        if held == (deletes and not dying):
            return cloud
        others = [each for each in finalizers if each != names.STORAGE_FINALIZER]
        wanted = others if held else [*others, names.STORAGE_FINALIZER]
        return self._objects.replace(
            cloud | {"metadata": cloud["metadata"] | {"finalizers": wanted}}
        )
