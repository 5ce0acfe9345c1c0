"""The StatefulSet of a SolrCloud, its Services, its ConfigMap and its PodDisruptionBudget."""

from typing import Any

from support.solr_operator import names
from support.solr_operator.containers import (
    GRACE_SECONDS,
    PORT,
    SOLR_XML,
    build_init_containers,
    build_node_container,
    digest,
    pod_options,
    volume_name,
)
from support.solr_operator.names import Copies

Body = dict[str, Any]


def build_services(cloud: Body) -> list[Body]:
    """Return the common Service, of ready nodes only, and the headless one, of all."""
    addresses = cloud["spec"]["solrAddressability"]
    common = _service(cloud, names.common_service(cloud), "common", addresses["commonServicePort"])
    headless = _service(cloud, names.headless_service(cloud), "headless", addresses["podPort"])
    headless["spec"] |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    return [common, headless]


def _service(cloud: Body, name: str, service_type: str, port: int) -> Body:
    labels = names.labels(cloud) | {"service-type": service_type}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": names.metadata(cloud, name, labels),
        "spec": {
            "selector": names.selector(cloud),
            "ports": [{"name": PORT, "port": port, "protocol": "TCP", "targetPort": PORT}],
        },
    }


def build_config_map(cloud: Body) -> Body:
    """Return the ConfigMap that an init container copies into every node's data folder."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": names.metadata(cloud, names.config_map(cloud), names.labels(cloud)),
        "data": {"solr.xml": SOLR_XML},
    }


def build_budget(cloud: Body) -> Body | None:
    """Return the PodDisruptionBudget, unless it is switched off; it has no labels."""
    if not cloud["spec"]["availability"]["podDisruptionBudget"]["enabled"]:
        return None
    managed = cloud["spec"]["updateStrategy"].get("managed") or {}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": names.metadata(cloud, names.stateful_set(cloud), {}),
        "spec": {
            "selector": {"matchLabels": names.selector(cloud)},
            "maxUnavailable": managed.get("maxPodsUnavailable", "25%"),
        },
    }


GROUP = 8983
STORAGE_ANNOTATION = "solr.apache.org/storageMinimumSize"
COPIED_OPTIONS = (
    "affinity",
    "enableServiceLinks",
    "nodeSelector",
    "priorityClassName",
    "serviceAccountName",
    "tolerations",
)


def build_stateful_set(cloud: Body, zookeeper: Body, copies: Copies) -> Body:
    """Return the StatefulSet of a cloud whose ZooKeeper is known.

    Args:
        cloud: the SolrCloud, with defaults
        zookeeper: its `zookeeperConnectionInfo`
        copies: where the cluster has images under other names
    """
    spec = cloud["spec"]
    custom = spec["customSolrKubeOptions"].get("statefulSetOptions") or {}
    labels = names.labels(cloud) | names.SOLR_LABELS
    meta = names.metadata(cloud, names.stateful_set(cloud), custom.get("labels", {}) | labels)
    connection = f"{zookeeper['internalConnectionString']}{zookeeper['chroot']}"
    storage = _storage_annotation(cloud)
    meta["annotations"] = (
        custom.get("annotations", {}) | {"solr.apache.org/zkConnectionString": connection} | storage
    )
    by_us = spec["updateStrategy"]["method"] != "StatefulSet"
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": {
            "serviceName": names.headless_service(cloud),
            "replicas": spec["replicas"],
            "podManagementPolicy": custom.get("podManagementPolicy", "Parallel"),
            "updateStrategy": {"type": "OnDelete" if by_us else "RollingUpdate"},
            "selector": {"matchLabels": names.selector(cloud)},
            "template": {
                "metadata": _template_metadata(cloud, labels, storage),
                "spec": _pod(cloud, zookeeper, copies),
            },
            "volumeClaimTemplates": _claims(cloud),
        },
    }


def _template_metadata(cloud: Body, labels: dict[str, str], storage: dict[str, str]) -> Body:
    """Return labels and annotations of the pods; the SolrCloud's own labels win over options."""
    options = pod_options(cloud)
    return {
        "labels": options.get("labels", {}) | labels,
        "annotations": options.get("annotations", {})
        | {"service-type": "headless", "solr.apache.org/solrXmlMd5": digest()}
        | storage,
    }


def _pod(cloud: Body, zookeeper: Body, copies: Copies) -> Body:
    options, spec = pod_options(cloud), cloud["spec"]
    gates = [names.NOT_STOPPED]
    if "persistent" not in spec["dataStorage"]:
        gates.append(names.NOT_EVICTED)
    body: Body = {
        "subdomain": names.headless_service(cloud),
        "terminationGracePeriodSeconds": options.get(
            "terminationGracePeriodSeconds", GRACE_SECONDS
        ),
        "shareProcessNamespace": options.get("shareProcessNamespace", False),
        "securityContext": {"fsGroup": GROUP} | options.get("podSecurityContext", {}),
        "readinessGates": [{"conditionType": gate} for gate in gates],
        "initContainers": build_init_containers(cloud, zookeeper, copies),
        "containers": [
            build_node_container(cloud, zookeeper, copies),
            *options.get("sidecarContainers", []),
        ],
        "volumes": _volumes(cloud),
        **{key: options[key] for key in COPIED_OPTIONS if key in options},
    }
    secrets = [*options.get("imagePullSecrets", [])]
    if spec["solrImage"].get("imagePullSecret"):
        secrets.append({"name": spec["solrImage"]["imagePullSecret"]})
    if secrets:
        body["imagePullSecrets"] = secrets
    if options.get("topologySpreadConstraints"):
        ours = {"labelSelector": {"matchLabels": names.selector(cloud)}}
        body["topologySpreadConstraints"] = [
            ours | each for each in options["topologySpreadConstraints"]
        ]
    return body


def _volumes(cloud: Body) -> list[Body]:
    storage = cloud["spec"]["dataStorage"]
    file = {"key": "solr.xml", "path": "solr.xml"}
    # Decimal 444, octal 674: so it is in the real one, too.
    source = {"name": names.config_map(cloud), "items": [file], "defaultMode": 444}
    found: list[Body] = [
        {"name": "solr-xml", "configMap": source},
        {"name": "tmp", "emptyDir": {}},
    ]
    if "persistent" not in storage:
        ephemeral = storage.get("ephemeral") or {"emptyDir": {}}
        found.append({"name": volume_name(cloud), **ephemeral})
    return [
        *found,
        *(
            {"name": each["name"], **each["source"]}
            for each in pod_options(cloud).get("volumes", [])
        ),
    ]


def _claims(cloud: Body) -> list[Body]:
    persistent = cloud["spec"]["dataStorage"].get("persistent")
    if persistent is None:
        return []
    template = persistent.get("pvcTemplate") or {}
    given = template.get("metadata") or {}
    labels = {
        "solr.apache.org/technology": "solr-cloud",
        "solr.apache.org/storage": "data",
        "solr.apache.org/instance": names.name_of(cloud),
    }
    return [
        {
            "metadata": {
                "name": volume_name(cloud),
                "labels": given.get("labels", {}) | labels,
                "annotations": given.get("annotations", {}),
            },
            "spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"}
            | (template.get("spec") or {}),
        }
    ]


def _storage_annotation(cloud: Body) -> dict[str, str]:
    persistent = cloud["spec"]["dataStorage"].get("persistent") or {}
    claim = (persistent.get("pvcTemplate") or {}).get("spec") or {}
    size = ((claim.get("resources") or {}).get("requests") or {}).get("storage")
    return {STORAGE_ANNOTATION: str(size)} if size else {}
