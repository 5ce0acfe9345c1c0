"""The Services, the ConfigMap and the PodDisruptionBudget of a SolrCloud."""

from typing import Any

from support.solr_operator import names
from support.solr_operator.solr_cloud.solr_xml import SOLR_XML

Body = dict[str, Any]
PORT = "solr-client"


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
