"""`solrbench plan`: what a benchmark would make, take and measure."""

from pathlib import Path
from typing import Any

import click

from solrbench.api.identity import SWEEP_KIND
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.files import FILES, read_documents, valid_resources
from solrbench.cli.files.changes import SET, apply_changes
from solrbench.cli.options import cluster_options, open_cluster
from solrbench.cli.program import examples
from solrbench.cli.readiness.footprint import PodGroup, load_duration, peak, pod_groups
from solrbench.cli.readiness.room import GIBIBYTE, pods_text, room_problem
from solrbench.cluster.client import Cluster
from solrbench.plan.step_runs import variant_names
from solrbench.sweep.offline import check_sweep


@click.command(
    epilog=examples("solrbench plan -f bench.yaml", "solrbench plan -f bench.yaml --offline")
)
@FILES
@SET
@click.option("--offline", is_flag=True, help="Do not compare with a cluster.")
@cluster_options
def plan(
    files: tuple[Path, ...],
    changes: tuple[str, ...],
    offline: bool,
    context: str | None,
    namespace: str | None,
) -> None:
    """Show what a benchmark or a sweep would make, take and measure, without making it.

    Pods, their CPU and memory against the nodes of the cluster, runs of steps, and the least time
    that the load takes. Exit code 1 if there is no room for the pods.
    """
    documents = read_documents(files)
    apply_changes(documents, changes)
    benchmarks = valid_resources(documents)
    for document in documents:
        if document.body["kind"] == SWEEP_KIND:
            _show_sweep(document.body)
    cluster = None if offline else open_cluster(context, namespace)[0]
    fits = [_show(each, cluster) for each in benchmarks]
    if not all(fits):
        raise click.exceptions.Exit(1)


def _show_sweep(body: dict[str, Any]) -> None:
    """Print the points of a sweep; its largest one is shown as a benchmark beside."""
    sweep = check_sweep(body)
    summary, *points = sweep.lines
    click.echo(f"{sweep.name}: {summary}; that point is shown below")
    for line in points:
        click.echo(f"  {line}")


def _show(benchmark: SolrBenchmark, cluster: Cluster | None) -> bool:
    """Print the plan of one benchmark; return whether its pods find room."""
    groups = pod_groups(benchmark)
    click.echo(f"{benchmark.metadata.name}:")
    for line in pod_lines(groups):
        click.echo(f"  {line}")
    click.echo(f"  load: {duration_text(benchmark)}")
    if cluster is None:
        return True
    missing = room_problem(groups, cluster)
    click.echo(f"  cluster: {missing or 'there is room for all pods that run together'}")
    return missing is None or missing.startswith("unknown")


def pod_lines(groups: list[PodGroup]) -> list[str]:
    """Return a line for each component, and one for those that run together."""
    lines = [f"{each.component}: {pods_text(each)}" for each in groups]
    together = peak(groups)
    count = sum(each.count for each in together)
    cores = sum(each.count * each.cores for each in together)
    memory = sum(each.count * each.memory_bytes for each in together)
    storage = sum(each.count * each.storage_bytes for each in groups)
    claims = f", {storage / GIBIBYTE:.4g} GiB in volumes" if storage else ""
    total = (
        f"together at most: {count} pods, {cores:.4g} cores, {memory / GIBIBYTE:.4g} GiB{claims}"
    )
    return [*lines, total]


def duration_text(benchmark: SolrBenchmark) -> str:
    """Return what is measured, and how long that takes at least."""
    spec, duration = benchmark.spec, load_duration(benchmark.spec)
    steps, variants = len(spec.load.steps), len(variant_names(spec))
    parts = [f"{steps} steps" if steps > 1 else "1 step"]
    parts += [f"{variants} variants"] if variants > 1 else []
    repeats = duration.step_runs // (steps * variants)
    parts += [f"{repeats} repeats"] if repeats > 1 else []
    text = f"{' x '.join(parts)}"
    if len(parts) > 1:
        text += f" = {duration.step_runs} runs"
    if duration.timed_seconds:
        text += f", at least {_minutes(duration.timed_seconds)}"
    if duration.counted_runs:
        text += f", {duration.counted_runs} of them until their requests are sent"
    return text


def _minutes(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min {rest % 60} s"
