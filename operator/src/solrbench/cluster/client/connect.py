"""From the kubeconfig, or the pod's own credentials, to a client."""

from kubernetes import client, config
from kubernetes.dynamic import DynamicClient

from solrbench.cluster.client.cluster import Cluster

CONNECTIONS = 32
"""Kept open, one for each thread that reconciles."""


def connect(context: str | None = None) -> Cluster:
    """Return a client for the cluster that this pod, or the kubeconfig, belongs to.

    Args:
        context: the kubeconfig's context, the current one by default

    Raises:
        kubernetes.config.ConfigException: if there is no cluster to talk to.

    """
    try:
        config.load_incluster_config()
    except config.ConfigException:
        config.load_kube_config(context=context)
    configuration = client.Configuration.get_default_copy()
    configuration.connection_pool_maxsize = CONNECTIONS
    return Cluster(DynamicClient(client.ApiClient(configuration)))


def current_namespace(context: str | None = None) -> str:
    """Return the namespace that the kubeconfig's context names, or `default`."""
    try:
        contexts, current = config.list_kube_config_contexts()
    except config.ConfigException:
        return "default"
    chosen = current if context is None else next(c for c in contexts if c["name"] == context)
    return str(chosen["context"].get("namespace", "default"))
