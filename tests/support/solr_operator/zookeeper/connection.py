"""The ZooKeeper of a SolrCloud: given from outside, or a ZookeeperCluster made for it."""

from typing import Any

from support.solr_operator import names

Body = dict[str, Any]

PORT = 2181
COPIED = ("maxUnavailableReplicas", "probes", "adminServerService", "clientService")
COPIED_POD = (
    "affinity",
    "annotations",
    "env",
    "labels",
    "nodeSelector",
    "resources",
    "securityContext",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
    "tolerations",
    "topologySpreadConstraints",
)


def connection_info(cloud: Body) -> Body:
    """Return `status.zookeeperConnectionInfo`; a provided ensemble need not be up for it."""
    reference = cloud["spec"]["zookeeperRef"]
    if "connectionInfo" in reference:
        given: Body = reference["connectionInfo"]
        return given
    provided = reference["provided"]
    name, namespace = names.zookeeper(cloud), names.namespace_of(cloud)
    hosts = [
        f"{name}-{i}.{name}-headless.{namespace}.svc.cluster.local:{PORT}"
        for i in range(provided["replicas"])
    ]
    return {"internalConnectionString": ",".join(hosts), "chroot": provided["chroot"]}


def build_zookeeper_cluster(cloud: Body) -> Body | None:
    """Return the ZookeeperCluster of a cloud with a provided ensemble."""
    provided = cloud["spec"]["zookeeperRef"].get("provided")
    if provided is None:
        return None
    labels = names.labels(cloud) | names.ZOOKEEPER_LABELS
    policy = provided.get("zookeeperPodPolicy") or {}
    pod = {key: policy[key] for key in COPIED_POD if key in policy}
    image = dict(provided["image"])
    secret = image.pop("imagePullSecret", None)
    if secret:
        pod["imagePullSecrets"] = [{"name": secret}]
    return {
        "apiVersion": names.ZOOKEEPER_CLUSTER[0],
        "kind": names.ZOOKEEPER_CLUSTER[1],
        "metadata": names.metadata(cloud, names.zookeeper(cloud), labels),
        "spec": {
            "replicas": provided["replicas"],
            "image": image,
            "labels": labels | provided.get("labels", {}),
            "pod": pod,
            **_storage(cloud, provided),
            **{key: provided[key] for key in COPIED if key in provided},
            **({"config": provided["config"]} if "config" in provided else {}),
        },
    }


def _storage(cloud: Body, provided: Body) -> Body:
    """Return the storage; without a word about it ZooKeeper's is of the same kind as Solr's."""
    if "persistence" in provided:
        return {"storageType": "persistence", "persistence": provided["persistence"]}
    if "ephemeral" in provided:
        return {"storageType": "ephemeral", "ephemeral": provided["ephemeral"]}
    persistent = "persistent" in cloud["spec"]["dataStorage"]
    return {"storageType": "persistence" if persistent else "ephemeral"}
