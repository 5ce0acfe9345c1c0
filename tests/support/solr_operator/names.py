"""Names, addresses, labels and owners of everything that belongs to a SolrCloud.

Images have other names in a cluster without a registry than those the operators request: it has
neither busybox nor the ZooKeeper image under their usual names.
"""

from typing import Any

Body = dict[str, Any]

SOLR_CLOUD = ("solr.apache.org/v1beta1", "SolrCloud")
ZOOKEEPER_CLUSTER = ("zookeeper.pravega.io/v1beta1", "ZookeeperCluster")
STATEFUL_SET = ("apps/v1", "StatefulSet")
SERVICE = ("v1", "Service")
CONFIG_MAP = ("v1", "ConfigMap")
POD = ("v1", "Pod")
CLAIM = ("v1", "PersistentVolumeClaim")
BUDGET = ("policy/v1", "PodDisruptionBudget")

CLOUD_LABEL = "solr-cloud"
SOLR_LABELS = {"technology": "solr-cloud"}
ZOOKEEPER_LABELS = {"technology": "zookeeper"}

NOT_STOPPED = "solr.apache.org/isNotStopped"
NOT_EVICTED = "solr.apache.org/replicasNotEvicted"
STORAGE_FINALIZER = "storage.finalizers.solr.apache.org"
ZOOKEEPER_FINALIZER = "cleanUpZookeeperPVC"


def name_of(body: Body) -> str:
    """Return the name of an object."""
    name: str = body["metadata"]["name"]
    return name


def namespace_of(body: Body) -> str:
    """Return the namespace of an object."""
    namespace: str = body["metadata"]["namespace"]
    return namespace


def stateful_set(cloud: Body) -> str:
    """Return the name of the StatefulSet, and of the PodDisruptionBudget."""
    return f"{name_of(cloud)}-solrcloud"


def common_service(cloud: Body) -> str:
    """Return the name of the Service of all ready nodes."""
    return f"{stateful_set(cloud)}-common"


def headless_service(cloud: Body) -> str:
    """Return the name of the Service that names every node."""
    return f"{stateful_set(cloud)}-headless"


def config_map(cloud: Body) -> str:
    """Return the name of the ConfigMap of `solr.xml`."""
    return f"{stateful_set(cloud)}-configmap"


def zookeeper(cloud: Body) -> str:
    """Return the name of a provided ZookeeperCluster."""
    return f"{stateful_set(cloud)}-zookeeper"


def node_host(cloud: Body, pod: str) -> str:
    """Return the host name under which a node is known to the others."""
    return f"{pod}.{headless_service(cloud)}.{namespace_of(cloud)}"


def common_host(cloud: Body) -> str:
    """Return the host name of the common Service."""
    return f"{common_service(cloud)}.{namespace_of(cloud)}"


def selector(cloud: Body) -> dict[str, str]:
    """Return the labels that pick the Solr pods of a cloud."""
    return {CLOUD_LABEL: name_of(cloud), **SOLR_LABELS}


def labels(cloud: Body) -> dict[str, str]:
    """Return the labels of everything of a cloud: those of the SolrCloud itself, and its name."""
    own: dict[str, str] = cloud["metadata"].get("labels") or {}
    return own | {CLOUD_LABEL: name_of(cloud)}


def metadata(owner: Body, name: str, labels: dict[str, str]) -> Body:
    """Return the metadata of an object that an owner controls."""
    return {
        "name": name,
        "namespace": namespace_of(owner),
        "labels": labels,
        "ownerReferences": [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": name_of(owner),
                "uid": owner["metadata"]["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }


Copies = dict[str, str]


def reference(image: Body, copies: Copies) -> str:
    """Return what the kubelet shall pull for an image of a spec."""
    tag = image.get("tag")
    wanted: str = f"{image['repository']}:{tag}" if tag else image["repository"]
    return copies.get(wanted, wanted)


def parse_copy(text: str) -> tuple[str, str]:
    """Return the two sides of `NAME=COPY`.

    Raises:
        ValueError: if there is no `=`.
    """
    wanted, _, copy = text.partition("=")
    if not copy:
        raise ValueError(f"{text}: must be NAME=COPY")
    return wanted, copy
