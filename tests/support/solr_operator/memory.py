"""An API server in memory, and the SolrClouds that it hands out."""

import copy
from typing import Any

from support.solr_operator.names import SOLR_CLOUD
from support.solr_operator.solr_clouds import with_defaults

Body = dict[str, Any]
Kind = tuple[str, str]


class Memory:
    """Objects by kind and name; an object whose finalizers are gone goes, too."""

    def __init__(self, *bodies: Body) -> None:
        self.objects: dict[tuple[Kind, str], Body] = {}
        for body in bodies:
            self._put(body)

    def get(self, kind: Kind, name: str) -> Body | None:
        return copy.deepcopy(self.objects.get((kind, name)))

    def select(self, kind: Kind, labels: dict[str, str]) -> list[Body]:
        return [
            copy.deepcopy(body)
            for (each, _), body in self.objects.items()
            if each == kind and labels.items() <= body["metadata"]["labels"].items()
        ]

    def apply(self, body: Body) -> Body:
        kind = (body["apiVersion"], body["kind"])
        old = self.objects.get((kind, body["metadata"]["name"]), {})
        uid = old.get("metadata", {}).get("uid", "sts-1")
        merged = old | body | {"metadata": body["metadata"] | {"uid": uid}}
        return self._put(merged)

    def replace(self, body: Body) -> Body:
        return self._put(body)

    def replace_status(self, body: Body) -> None:
        self._put(body)

    def add_conditions(self, pod: Body, conditions: list[Body]) -> None:
        stored = self.objects[(("v1", "Pod"), pod["metadata"]["name"])]
        stored["status"]["conditions"] += conditions

    def delete(self, kind: Kind, name: str) -> None:
        self.objects.pop((kind, name), None)

    def kinds(self) -> list[str]:
        return sorted(f"{kind[1]}/{name}" for kind, name in self.objects)

    def _put(self, body: Body) -> Body:
        metadata = body["metadata"]
        key = ((body["apiVersion"], body["kind"]), metadata["name"])
        if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
            self.objects.pop(key, None)
        else:
            self.objects[key] = copy.deepcopy(body)
        return copy.deepcopy(body)


OUTSIDE: Body = {"connectionInfo": {"internalConnectionString": "zk-0:2181", "chroot": "/b"}}
CONNECTION: Body = OUTSIDE["connectionInfo"]


def bare_cloud(**spec: Any) -> Body:
    """Return a SolrCloud as a user sent it."""
    return {
        "apiVersion": SOLR_CLOUD[0],
        "kind": SOLR_CLOUD[1],
        "metadata": {
            "name": "bench",
            "namespace": "search",
            "uid": "u-1",
            "labels": {"team": "search"},
        },
        "spec": {"replicas": 2, "zookeeperRef": OUTSIDE} | spec,
    }


def cloud(**spec: Any) -> Body:
    """Return a SolrCloud with defaults."""
    body = bare_cloud(**spec)
    return body | {"spec": with_defaults(body["spec"])}


def pod(name: str, *, owner: str = "sts-1", ready: bool = True, revision: str = "r1") -> Body:
    """Return a running Solr pod."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {
                "solr-cloud": "bench",
                "technology": "solr-cloud",
                "controller-revision-hash": revision,
            },
            "ownerReferences": [{"uid": owner}],
        },
        "spec": {
            "nodeName": "vm",
            "containers": [{"name": "solrcloud-node", "image": "library/solr:9.10.0"}],
            "readinessGates": [{"conditionType": "solr.apache.org/isNotStopped"}],
        },
        "status": {
            "conditions": [{"type": "Ready", "status": str(ready)}],
            "containerStatuses": [{"name": "solrcloud-node"}],
        },
    }


def counts(number: int, ready: int) -> Body:
    """Return the status of a StatefulSet with this many pods."""
    return {
        "replicas": number,
        "readyReplicas": ready,
        "updatedReplicas": number,
        "updateRevision": "r1",
    }
