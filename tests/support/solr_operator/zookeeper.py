"""A ZookeeperCluster: its objects, one reconcile, and how a SolrCloud is connected to it.

The real operator runs scripts of its own image, which no other image has. Under another name
(`names`) the official image stands in for it, with a static list of servers; any other image
fails to start here as it does there.
"""

from typing import Any

from support.solr_operator import names
from support.solr_operator.names import Copies
from support.solr_operator.objects import Store

Body = dict[str, Any]

PORTS = {"client": 2181, "quorum": 2888, "leader-election": 3888}
START = "/usr/local/bin/zookeeperStart.sh"
STAND_IN = 'ZOO_MY_ID=$((${HOSTNAME##*-}+1)) exec /docker-entrypoint.sh zkServer.sh "$0"'
DEFAULT_SIZE = "20Gi"


def with_defaults(spec: Body) -> Body:
    """Return the spec as the ZooKeeper operator stores it."""
    storage = spec.get("storageType", "persistence")
    found: Body = {"replicas": 3, "pod": {}} | spec | {"storageType": storage}
    found["image"] = {"repository": "pravega/zookeeper", "tag": "0.2.15"} | found.get("image", {})
    if storage == "persistence":
        claim: Body = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": DEFAULT_SIZE}},
        }
        given = found.get("persistence") or {}
        found["persistence"] = {"reclaimPolicy": "Retain", "spec": claim} | given
    return found


def pod_labels(cluster: Body) -> dict[str, str]:
    """Return the labels by which the pods of an ensemble are found."""
    return {"app": names.name_of(cluster)}


def build_ensemble(cluster: Body, copies: Copies) -> list[Body]:
    """Return the Services and the StatefulSet of a cluster with defaults."""
    name = names.name_of(cluster)
    headless = _service(cluster, f"{name}-headless", PORTS)
    headless["spec"] |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    return [
        _service(cluster, f"{name}-client", {"client": PORTS["client"]}),
        headless,
        _stateful_set(cluster, copies),
    ]


def _service(cluster: Body, name: str, ports: dict[str, int]) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": names.metadata(cluster, name, _labels(cluster)),
        "spec": {
            "selector": pod_labels(cluster),
            "ports": [{"name": f"tcp-{key}", "port": port} for key, port in ports.items()],
        },
    }


def _labels(cluster: Body) -> dict[str, str]:
    given: dict[str, str] = cluster["spec"].get("labels") or {}
    return pod_labels(cluster) | given


def _stateful_set(cluster: Body, copies: Copies) -> Body:
    name, spec = names.name_of(cluster), cluster["spec"]
    pod_policy = spec["pod"]
    member = {"kind": "ZookeeperMember"} | pod_labels(cluster)
    ephemeral = spec["storageType"] == "ephemeral"
    empty = (spec.get("ephemeral") or {}).get("emptydirvolumesource", {})
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": names.metadata(cluster, name, _labels(cluster)),
        "spec": {
            "serviceName": f"{name}-headless",
            "replicas": spec["replicas"],
            "podManagementPolicy": "OrderedReady",
            "selector": {"matchLabels": pod_labels(cluster)},
            "template": {
                "metadata": {
                    "labels": _labels(cluster) | pod_policy.get("labels", {}) | member,
                    "annotations": pod_policy.get("annotations", {}),
                },
                "spec": {
                    **_placement(pod_policy),
                    "containers": [_container(cluster, copies)],
                    "volumes": [{"name": "data", "emptyDir": empty}] if ephemeral else [],
                },
            },
            "volumeClaimTemplates": [] if ephemeral else [_claim(cluster)],
        },
    }


def _placement(policy: Body) -> Body:
    keys = (
        "affinity",
        "imagePullSecrets",
        "nodeSelector",
        "securityContext",
        "serviceAccountName",
        "tolerations",
        "topologySpreadConstraints",
    )
    grace = policy.get("terminationGracePeriodSeconds", 30)
    return {key: policy[key] for key in keys if policy.get(key)} | {
        "terminationGracePeriodSeconds": grace
    }


def _claim(cluster: Body) -> Body:
    labels = {"app": names.name_of(cluster), "uid": cluster["metadata"]["uid"]}
    persistence = cluster["spec"]["persistence"]
    return {"metadata": {"name": "data", "labels": labels}, "spec": persistence["spec"]}


def _container(cluster: Body, copies: Copies) -> Body:
    spec = cluster["spec"]
    image = names.reference(spec["image"], {})
    stand_in = copies.get(image)
    command = ["sh", "-c", STAND_IN, "start-foreground"] if stand_in else [START]
    return {
        "name": "zookeeper",
        "image": stand_in or image,
        "imagePullPolicy": spec["image"].get("pullPolicy", "Always"),
        "command": command,
        "env": [*_servers(cluster), *spec["pod"].get("env", [])],
        "ports": [{"name": key, "containerPort": port} for key, port in PORTS.items()],
        "readinessProbe": {
            "tcpSocket": {"port": PORTS["client"]},
            "initialDelaySeconds": 10,
            "periodSeconds": 10,
        },
        "resources": spec["pod"].get("resources", {}),
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }


def _servers(cluster: Body) -> list[Body]:
    """Return the variables of the official image that make an ensemble of the members."""
    name, namespace = names.name_of(cluster), names.namespace_of(cluster)
    domain = f"{name}-headless.{namespace}.svc.cluster.local"
    servers = [
        f"server.{i + 1}={name}-{i}.{domain}:2888:3888;2181"
        for i in range(cluster["spec"]["replicas"])
    ]
    if len(servers) == 1:  # alone it must not wait for an election
        servers = ["server.1=localhost:2888:3888;2181"]
    config = cluster["spec"].get("config") or {}
    values = {
        "ZOO_SERVERS": " ".join(servers),
        "ZOO_4LW_COMMANDS_WHITELIST": "cons,envi,conf,crst,srvr,stat,mntr,ruok",
        "ZOO_MAX_CLIENT_CNXNS": str(config.get("maxClientCnxns", 60)),
    }
    return [{"name": key, "value": value} for key, value in values.items()]


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
