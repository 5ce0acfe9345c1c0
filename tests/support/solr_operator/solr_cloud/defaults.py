"""What the Solr Operator writes back into the spec of a SolrCloud before it does anything."""

import copy
from typing import Any

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
