"""From the kubeconfig, or the pod's own credentials, to a client."""

from pathlib import Path

from solrbench.cluster.client.cluster import Cluster
from solrbench.cluster.client.connection import open_connection
from solrbench.cluster.client.kubeconfig import NoClusterError, find_access


def connect(context: str | None = None, kubeconfig: Path | None = None) -> Cluster:
    """Return a client for the cluster that the kubeconfig names, or this pod belongs to.

    Args:
        context: the kubeconfig's context, the current one by default
        kubeconfig: file, instead of those that `KUBECONFIG` names

    Raises:
        NoClusterError: if there is no cluster to talk to.

    """
    return Cluster(open_connection(find_access(context, kubeconfig)))


def current_namespace(context: str | None = None, kubeconfig: Path | None = None) -> str:
    """Return the namespace of the kubeconfig's context, or of this pod, or `default`."""
    try:
        return find_access(context, kubeconfig).namespace
    except NoClusterError:
        return "default"
