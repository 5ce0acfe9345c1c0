"""What several commands ask a cluster about itself, and `solrbench version`."""

import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import click
from rich.console import Console

from solrbench.api.identity import GROUP, VERSION
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.terminal import wrap_line
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.kubeconfig import NoClusterError
from solrbench.stats.number_format import GIBIBYTE
from solrbench.sweep.cluster_capacity import format_pods, free_nodes, without_capacity
from solrbench.sweep.requirements import PodGroup

OPERATOR_LABELS = {
    "app.kubernetes.io/part-of": "solrbench",
    "app.kubernetes.io/component": "operator",
}
"""Of the Deployment of any release: its name may be overridden."""


@dataclass(frozen=True)
class OperatorFacts:
    """A Deployment of the operator, its version as the chart says, and how many pods are ready.

    Without namespaces it watches all of them.
    """

    namespace: str
    name: str
    version: str
    ready: int
    namespaces: tuple[str, ...]

    def watches(self, namespace: str) -> bool:
        """Return whether it looks after benchmarks of a namespace."""
        return not self.namespaces or namespace in self.namespaces

    def has_version(self, own: str) -> bool:
        """Return whether it is of this version, or built from a clone, which names none."""
        return self.version in (own, "dev")


def find_operators(cluster: Cluster, namespace: str | None = None) -> list[OperatorFacts]:
    """Return the operators of a cluster, or of one namespace where only that may be read.

    It raises `ForbiddenError` if no Deployment may be read.
    """
    try:
        deployments = cluster.list("apps/v1", "Deployment", None, OPERATOR_LABELS)
    except ForbiddenError:
        if namespace is None:
            raise
        deployments = cluster.list("apps/v1", "Deployment", namespace, OPERATOR_LABELS)
    return list(map(_facts, deployments))


def operator_problem(cluster: Cluster, namespace: str) -> str | None:
    """Return why benchmarks of a namespace would wait, or be misread, with a remedy; else nothing.

    Users who may not read Deployments of any namespace learn nothing here: `preflight` says so.
    """
    try:
        operators = find_operators(cluster)
    except SolrbenchError:
        return None
    watching = [each for each in operators if each.watches(namespace)]
    if not operators:
        return "no operator runs in this cluster; install the chart solr-benchmark-operator"
    if not watching:
        places = ", ".join(sorted({each.namespace for each in operators}))
        text = f"the operator in {places} does not watch namespace {namespace}"
        return f"{text}; add it to watchNamespaces, or choose another with -n"
    if not any(each.ready for each in watching):
        return f"the operator in {watching[0].namespace} is not ready; run `solrbench preflight`"
    own = version("solrbench")
    if other := next((each.version for each in watching if not each.has_version(own)), None):
        return f"the operator has version {other}, this command {own}; install the same version"
    return None


def _facts(body: dict[str, Any]) -> OperatorFacts:
    metadata = body["metadata"]
    containers = body["spec"]["template"]["spec"]["containers"]
    variables = {
        each["name"]: each.get("value", "") for part in containers for each in part.get("env", [])
    }
    # The chart gives the namespaces to the operator by this variable; empty, or *, means all.
    watched = [each for each in variables.get("SOLRBENCH_NAMESPACES", "").split(",") if each]
    return OperatorFacts(
        namespace=metadata["namespace"],
        name=metadata["name"],
        version=metadata["labels"].get("app.kubernetes.io/version", "unknown"),
        ready=(body.get("status") or {}).get("readyReplicas", 0),
        namespaces=() if "*" in watched else tuple(watched),
    )


def served_versions(cluster: Cluster) -> list[str]:
    """Return the versions of the definition that the API server serves; none without it."""
    api_group = cluster.read(f"/apis/{GROUP}")
    return [] if api_group is None else [version["version"] for version in api_group["versions"]]


def capacity_problems(groups: list[PodGroup], cluster: Cluster) -> list[str]:
    """Return a line for each kind of pod that finds no node, and what is left; else nothing.

    It raises `ForbiddenError` if nodes or pods may not be read.
    """
    free = free_nodes(cluster.list("v1", "Node", None, {}), cluster.list("v1", "Pod", None, {}))
    missing = without_capacity(groups, free)
    lines = [f"there is no room for {each.component} ({format_pods(each)})" for each in missing]
    left = [
        f"{each.name} has {each.cores:.3g} cores and {each.memory_bytes / GIBIBYTE:.3g} GiB left"
        for each in sorted(free, key=lambda each: -each.memory_bytes)
        if any(map(each.takes, missing))
    ]
    return [*lines, "; ".join(left[:3]) or "no node takes pods"] if lines else []


@command("solrbench version", "solrbench version --client -o json", name="version")
@click.option("--client", "only_client", is_flag=True, help="Do not ask the cluster.")
@output_option("text", "json")
@cluster_options
def show_version(only_client: bool, output: str) -> None:
    """Print the versions of the command, and of what is in the cluster."""
    versions: dict[str, Any] = {"client": version("solrbench"), "api": f"{GROUP}/{VERSION}"}
    if not only_client:
        versions |= _of_cluster()
    if output == "json":
        click.echo(json.dumps(versions, indent=2))
        return
    console = Console()
    width = console.width if console.is_terminal else None
    for key, value in versions.items():
        click.echo("\n".join(wrap_line(f"{key}: {value}", width)))


def _of_cluster() -> dict[str, Any]:
    try:
        cluster, namespace = open_cluster()
        # The version of the command is of use also where the cluster does not respond.
        cluster = cluster.within(5.0)
        server = cluster.read("/version") or {}
        definition = ", ".join(served_versions(cluster)) or "not installed"
    except (SolrbenchError, NoClusterError, click.ClickException) as error:
        return {"cluster": f"unknown: {getattr(error, 'message', error)}"}
    return {
        "definition": definition,
        "operator": _operators(cluster, namespace),
        "kubernetes": server.get("gitVersion", "unknown"),
    }


def _operators(cluster: Cluster, namespace: str) -> str:
    """Return versions and namespaces, or why the user does not see them."""
    try:
        operators = find_operators(cluster, namespace)
    except ForbiddenError as error:
        return f"unknown: {error.message}"
    return ", ".join(f"{each.version} in {each.namespace}" for each in operators) or "not found"
