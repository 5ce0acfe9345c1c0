"""The objects of a ZookeeperCluster.

The real operator runs scripts of its own image, which no other image has. Under another name
(`images`) the official image stands in for it, with a static list of servers; any other image
fails to start here as it does there.
"""

from typing import Any

from support.solr_operator import images, names
from support.solr_operator.images import Copies

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
    image = images.reference(spec["image"], {})
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
