"""SolrClouds as the API server would hand them out."""

from typing import Any

from support.solr_operator.names import SOLR_CLOUD
from support.solr_operator.solr_cloud.defaults import with_defaults

Body = dict[str, Any]

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
