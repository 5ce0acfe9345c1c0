"""One reconcile of a ZookeeperCluster, with the finalizer that needs a running operator."""

from typing import Any

from support.solr_operator import names
from support.solr_operator.images import Copies
from support.solr_operator.objects import Store
from support.solr_operator.zookeeper.pods import build_ensemble, pod_labels, with_defaults

Body = dict[str, Any]


class ZookeeperClusters:
    """The ZookeeperClusters of a namespace."""

    def __init__(self, objects: Store, copies: Copies) -> None:
        self._objects = objects
        self._copies = copies

    def reconcile(self, name: str) -> bool:
        """Reconcile once; return whether the next one must follow soon by itself."""
        cluster = self._objects.get(names.ZOOKEEPER_CLUSTER, name)
        if cluster is None:
            return False
        spec = with_defaults(cluster["spec"])
        if spec != cluster["spec"]:
            self._objects.replace(cluster | {"spec": spec})
            return True
        if "deletionTimestamp" in cluster["metadata"]:
            self._let_go(cluster)
            return False
        cluster = self._keep_finalizer(cluster)
        *_, stateful_set = [
            self._objects.apply(body) for body in build_ensemble(cluster, self._copies)
        ]
        status = build_status(
            cluster, stateful_set, self._objects.select(names.POD, pod_labels(cluster))
        )
        if status != cluster.get("status"):
            self._objects.replace_status(cluster | {"status": status})
        return False

    def _keep_finalizer(self, cluster: Body) -> Body:
        held = cluster["metadata"].get("finalizers") or []
        persistence = cluster["spec"].get("persistence")
        deletes = persistence is None or persistence["reclaimPolicy"] == "Delete"
        if not deletes or names.ZOOKEEPER_FINALIZER in held:
            return cluster
        metadata = cluster["metadata"] | {"finalizers": [*held, names.ZOOKEEPER_FINALIZER]}
        return self._objects.replace(cluster | {"metadata": metadata})

    def _let_go(self, cluster: Body) -> None:
        """Delete the claims, then the finalizer: what is owned goes by garbage collection."""
        held = cluster["metadata"].get("finalizers") or []
        if names.ZOOKEEPER_FINALIZER not in held:
            return
        for claim in self._objects.select(names.CLAIM, pod_labels(cluster)):
            self._objects.delete(names.CLAIM, names.name_of(claim))
        others = [each for each in held if each != names.ZOOKEEPER_FINALIZER]
        metadata = cluster["metadata"] | {"finalizers": others}
        self._objects.replace(cluster | {"metadata": metadata})


def build_status(cluster: Body, stateful_set: Body, pods: list[Body]) -> Body:
    """Return the status of a cluster."""
    ready = [names.name_of(pod) for pod in pods if _is_ready(pod)]
    unready = [names.name_of(pod) for pod in pods if not _is_ready(pod)]
    wanted = cluster["spec"]["replicas"]
    endpoint = f"{names.name_of(cluster)}-client.{names.namespace_of(cluster)}:2181"
    return {
        "replicas": wanted,
        "readyReplicas": stateful_set.get("status", {}).get("readyReplicas", 0),
        "members": {"ready": sorted(ready), "unready": sorted(unready)},
        "internalClientEndpoint": endpoint,
        "externalClientEndpoint": "N/A",
        "conditions": [
            {"type": "PodsReady", "status": str(len(ready) == wanted)},
            {"type": "Upgrading", "status": "False"},
            {"type": "Error", "status": "False"},
        ],
    }


def _is_ready(pod: Body) -> bool:
    conditions = pod.get("status", {}).get("conditions") or []
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
