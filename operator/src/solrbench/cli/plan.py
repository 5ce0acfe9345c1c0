"""`solrbench plan`: what a benchmark would make, take and measure."""

from pathlib import Path

import click

from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.cli.cluster_facts import capacity_problems
from solrbench.cli.files import FILES, SET, read_documents
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster
from solrbench.cli.validation import valid_parts
from solrbench.contract.step_runs import variant_names
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.stats.number_format import GIBIBYTE, count_noun, format_cores
from solrbench.sweep.cluster_capacity import capacity_of_nodes, format_pods
from solrbench.sweep.plan import CheckedSweep, find_points_without_capacity
from solrbench.sweep.requirements import (
    PodGroup,
    duration_text,
    load_duration,
    peak,
    pod_groups,
    sum_requests,
)


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
    benchmarks, sweeps = valid_parts(read_documents(files, changes))
    cluster = None if offline else open_cluster()[0]
    missing: list[str] = []
    plans: list[SolrBenchmark | CheckedSweep] = [*benchmarks, *sweeps]
    for each in plans:
        click.echo("\n  ".join(_lines(each)))
        if cluster is not None:
            missing += _show_room(each, cluster)
    if missing:
        raise click.exceptions.Exit(1)


def _lines(plan: SolrBenchmark | CheckedSweep) -> list[str]:
    if isinstance(plan, CheckedSweep):
        summary, *points = plan.lines
        return [f"{plan.name}: {summary}", *points]
    pods = _pod_lines(pod_groups(plan.spec))
    return [f"{plan.metadata.name}:", *pods, f"load: {_load_text(plan.spec)}"]


def _show_room(plan: SolrBenchmark | CheckedSweep, cluster: Cluster) -> list[str]:
    """Print whether all pods find room, and return a line for each kind, or point, that does not.

    What is unknown for want of a right is no reason to fail in CI.
    """
    fits = "there is room for all pods that run together"
    try:
        if isinstance(plan, CheckedSweep):
            room = capacity_of_nodes(cluster.list("v1", "Node", None, {}))
            pods = [each for point in plan.points for each in point.demand.pods]
            able = room.for_pods(pods)
            given = f"{format_cores(able.cores)} and {able.memory_bytes / GIBIBYTE:.4g} GiB"
            fits = f"each point fits on the nodes, which can give {given}"
            missing = find_points_without_capacity(plan.points, room)
        else:
            missing = capacity_problems(pod_groups(plan.spec), cluster)
    except ForbiddenError:
        missing, fits = [], "unknown: nodes, or pods of all namespaces, may not be listed"
    for line in missing or [fits]:
        click.echo(f"  cluster: {line}")
    return missing


def _pod_lines(groups: list[PodGroup]) -> list[str]:
    """Return a line for each component, and one for those that run together."""
    lines = [f"{group.component}: {format_pods(group)}" for group in groups]
    together = peak(groups)
    count = sum(group.count for group in together)
    requested = sum_requests(together)
    storage = sum(group.count * group.storage_bytes for group in groups)
    claims = f", {storage / GIBIBYTE:.4g} GiB in volumes" if storage else ""
    memory = f"{requested.memory_bytes / GIBIBYTE:.4g} GiB"
    total = f"{count} pods, {format_cores(requested.cores)}, {memory}{claims}"
    return [*lines, f"together at most: {total}"]


def _load_text(spec: Spec) -> str:
    duration = load_duration(spec)
    steps, variants = len(spec.load.steps), len(variant_names(spec))
    parts = [count_noun(steps, "step")]
    parts += [f"{variants} variants"] if variants > 1 else []
    repeats = spec.load.repeats
    least = "" if repeats.least == repeats.most else f"{repeats.least} to "
    parts += [f"{least}{repeats.most} repeats"] if repeats.most > 1 else []
    most = "up to " if least else ""
    runs = f" = {most}{duration.step_runs} runs" if len(parts) > 1 else ""
    loads = [f"{' x '.join(parts)}{runs}"] if steps else []
    if spec.load.capacity is not None:
        search, searches = "search for the capacity", "searches for the capacity"
        loads.append(count_noun(variants, search, searches))
    return f"{' and '.join(loads)}, {duration_text(duration)}"
