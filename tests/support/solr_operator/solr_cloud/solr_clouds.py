"""One reconcile of a SolrCloud: from whatever is there towards what its spec says.

As in the real one, the reconcile of a SolrCloud that is being deleted is the same.
"""

from datetime import UTC, datetime
from typing import Any

from support.solr_operator import names
from support.solr_operator.images import Copies
from support.solr_operator.objects import Store
from support.solr_operator.solr_cloud.defaults import with_defaults
from support.solr_operator.solr_cloud.gates import open_gates
from support.solr_operator.solr_cloud.services import build_budget, build_config_map, build_services
from support.solr_operator.solr_cloud.stateful_set import build_stateful_set
from support.solr_operator.solr_cloud.status import agrees, build_status
from support.solr_operator.zookeeper.connection import build_zookeeper_cluster, connection_info

Body = dict[str, Any]


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
