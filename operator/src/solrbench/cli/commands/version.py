"""`solrbench version`: those of the command, the operator, the definition and the cluster."""

import json
from importlib.metadata import version
from typing import Any

import click

from solrbench.api.v1alpha1 import GROUP, VERSION
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.program import examples
from solrbench.cli.readiness.cluster_facts import find_operators, served_versions
from solrbench.cluster.client import Cluster, ForbiddenError, NoClusterError
from solrbench.errors import SolrbenchError


@click.command(
    name="version", epilog=examples("solrbench version", "solrbench version --client -o json")
)
@click.option("--client", "only_client", is_flag=True, help="Do not ask the cluster.")
@output_option("text", "json")
@cluster_options
def show_version(
    only_client: bool, output: str, context: str | None, namespace: str | None
) -> None:
    """Print the versions of the command, and of what is in the cluster."""
    found: dict[str, Any] = {"client": version("solrbench"), "api": f"{GROUP}/{VERSION}"}
    if not only_client:
        found |= _of_cluster(context, namespace)
    if output == "json":
        click.echo(json.dumps(found, indent=2))
        return
    for key, value in found.items():
        click.echo(f"{key}: {value}")


def _of_cluster(context: str | None, namespace: str | None) -> dict[str, Any]:
    try:
        cluster, place = open_cluster(context, namespace)
        cluster = cluster.within(5.0)
        server = cluster.read("/version") or {}
        definition = ", ".join(served_versions(cluster)) or "not installed"
    except (SolrbenchError, NoClusterError, click.ClickException) as error:
        return {"cluster": f"unknown: {getattr(error, 'message', error)}"}
    return {
        "definition": definition,
        "operator": _operators(cluster, place),
        "kubernetes": server.get("gitVersion", "unknown"),
    }


def _operators(cluster: Cluster, namespace: str) -> str:
    """Return versions and namespaces, or why the user does not see them."""
    try:
        found = find_operators(cluster, namespace)
    except ForbiddenError as error:
        return f"unknown: {error.message}"
    return ", ".join(f"{each.version} in {each.namespace}" for each in found) or "not found"
