"""`solrbench plan`: what a benchmark would make, take and measure."""

from pathlib import Path

import click

from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.cli.cluster_facts import capacity_problem
from solrbench.cli.files import FILES, SET, read_documents
from solrbench.cli.options import cluster_options, open_cluster
from solrbench.cli.program import command
from solrbench.cli.validation import valid_parts
from solrbench.contract.step_runs import variant_names
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.sweep.cluster_capacity import GIBIBYTE, capacity_of_nodes, format_pods
from solrbench.sweep.plan import CheckedSweep, find_points_without_capacity
from solrbench.sweep.requirements import PodGroup, duration_text, load_duration, peak, pod_groups


@command("solrbench plan -f bench.yaml", "solrbench plan -f bench.yaml --offline")
@FILES
@SET
@click.option("--offline", is_flag=True, help="Do not compare with a cluster.")
@cluster_options
def plan(files: tuple[Path, ...], changes: tuple[str, ...], offline: bool) -> None:
    """Show what a benchmark or a sweep would make, take and measure, without making it.

    Pods, their CPU and memory against the nodes of the cluster, runs of steps, and the time
    that the load takes. Of a sweep the points in their order, what each needs, and what it takes
    over from the one before. Exit code 1 if there is no room for the pods.
    """
    documents = read_documents(files, changes)
    benchmarks, sweeps = valid_parts(documents)
    cluster = None if offline else open_cluster()[0]
    fits = [_show(each, cluster) for each in benchmarks]
    fits += [_show_sweep(each, cluster) for each in sweeps]
    if not all(fits):
        raise click.exceptions.Exit(1)


def _show_sweep(sweep: CheckedSweep, cluster: Cluster | None) -> bool:
    """Print the plan of a valid sweep; return whether the pods of each point find room."""
    summary, *points = sweep.lines
    click.echo("\n  ".join([f"{sweep.name}: {summary}", *points]))
    if cluster is None:
        return True
    try:
        room = capacity_of_nodes(cluster.list("v1", "Node", None, {}))
    except ForbiddenError:
        click.echo("  cluster: unknown: nodes may not be listed by this user")
        return True
    missing = find_points_without_capacity(sweep.points, room)
    given = f"{room.cores:.4g} cores and {room.memory_bytes / GIBIBYTE:.4g} GiB"
    fits = f"each point fits on the nodes, which can give {given}"
    click.echo(f"  cluster: {'; '.join(missing) or fits}")
    return not missing


def _show(benchmark: SolrBenchmark, cluster: Cluster | None) -> bool:
    """Print the plan of one benchmark; return whether its pods find room."""
    groups = pod_groups(benchmark.spec)
    lines = [f"{benchmark.metadata.name}:", *_pod_lines(groups)]
    click.echo("\n  ".join([*lines, f"load: {_load_text(benchmark.spec)}"]))
    if cluster is None:
        return True
    missing = capacity_problem(groups, cluster)
    click.echo(f"  cluster: {missing or 'there is room for all pods that run together'}")
    # What is unknown for want of a right is no reason to fail in CI.
    return missing is None or missing.startswith("unknown")


def _pod_lines(groups: list[PodGroup]) -> list[str]:
    """Return a line for each component, and one for those that run together."""
    lines = [f"{group.component}: {format_pods(group)}" for group in groups]
    together = peak(groups)
    count = sum(group.count for group in together)
    cores = sum(group.count * group.cores for group in together)
    memory = sum(group.count * group.memory_bytes for group in together)
    storage = sum(group.count * group.storage_bytes for group in groups)
    claims = f", {storage / GIBIBYTE:.4g} GiB in volumes" if storage else ""
    total = f"{count} pods, {cores:.4g} cores, {memory / GIBIBYTE:.4g} GiB{claims}"
    return [*lines, f"together at most: {total}"]


def _load_text(spec: Spec) -> str:
    """Return what is measured, and how long that takes."""
    duration = load_duration(spec)
    steps, variants = len(spec.load.steps), len(variant_names(spec))
    parts = [f"{steps} steps" if steps > 1 else "1 step"]
    parts += [f"{variants} variants"] if variants > 1 else []
    repeats = spec.load.repeats
    least = "" if repeats.least == repeats.most else f"{repeats.least} to "
    parts += [f"{least}{repeats.most} repeats"] if repeats.most > 1 else []
    most = "up to " if least else ""
    runs = f" = {most}{duration.step_runs} runs" if len(parts) > 1 else ""
    return f"{' x '.join(parts)}{runs}, {duration_text(duration)}"
