"""`solrbench stop`, `resume` and `delete`."""

import sys

import click

from solrbench.cli.deletion import REPLACE_SECONDS, wait_until_gone
from solrbench.cli.options import DURATION, cluster_options, open_cluster
from solrbench.cli.program import examples, program_name
from solrbench.cli.resources import get_resource
from solrbench.cluster.client import Cluster
from solrbench.decide.conditions import COMPLETE

NAMES = click.argument("names", metavar="NAME...", nargs=-1, required=True)


@click.command(epilog=examples("solrbench stop nightly-7xk2p", "solrbench stop ssweep/heaps"))
@NAMES
@cluster_options
def stop(names: tuple[str, ...], context: str | None, namespace: str | None) -> None:
    """Stop a benchmark or a sweep: pods are removed, stored results are kept.

    It sets spec.suspend; of a sweep no further point begins. What a benchmark that is over has made
    stays; see delete.
    """
    cluster, place = open_cluster(context, namespace)
    for name in names:
        _suspend(cluster, place, name, suspend=True)


@click.command(epilog=examples("solrbench resume nightly-7xk2p"))
@NAMES
@cluster_options
def resume(names: tuple[str, ...], context: str | None, namespace: str | None) -> None:
    """Let a stopped benchmark go on with the steps that are not stored yet, or a sweep.

    It clears spec.suspend. The target is created again, and its data indexed.
    """
    cluster, place = open_cluster(context, namespace)
    for name in names:
        _suspend(cluster, place, name, suspend=False)


def _suspend(cluster: Cluster, namespace: str, name: str, *, suspend: bool) -> None:
    found = get_resource(cluster, namespace, name)
    stored = cluster.merge(*found.kind, namespace, found.name, {"spec": {"suspend": suspend}})
    if _is_over(stored):
        click.echo(f"{name} is over already: nothing changes", err=True)
        return
    again = f"{program_name()} resume -n {namespace} {name}"
    word = f"is stopped; go on: {again}" if suspend else "goes on"
    click.echo(f"{name} {word}")


def _is_over(body: dict[str, object]) -> bool:
    status = body.get("status")
    conditions = status.get("conditions", []) if isinstance(status, dict) else []
    return any(each["type"] == COMPLETE and each["status"] == "True" for each in conditions)


@click.command(
    epilog=examples("solrbench delete quickstart", "solrbench delete --yes a b --timeout 5m")
)
@NAMES
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--no-wait", is_flag=True, help="Return before it is gone.")
@click.option(
    "--timeout",
    "timeout_seconds",
    type=DURATION,
    metavar="DURATION",
    default=str(int(REPLACE_SECONDS)),
    help="How long to wait for the end of the deletion (default: 10m).",
)
@cluster_options
def delete(  # noqa: PLR0913, PLR0917  one argument for each option
    names: tuple[str, ...],
    yes: bool,
    no_wait: bool,
    timeout_seconds: float,
    context: str | None,
    namespace: str | None,
) -> None:
    """Delete benchmarks or sweeps, their results, and all they made: of a sweep all its points."""
    cluster, place = open_cluster(context, namespace)
    found = [get_resource(cluster, place, name) for name in names]
    if not yes and sys.stdin.isatty():
        click.confirm(
            f"Delete {', '.join(names)} in namespace {place}, with the results?", abort=True
        )
    elif not yes:
        raise click.UsageError(
            "this deletes results: give --yes, since there is no terminal to ask"
        )
    for each in found:
        cluster.delete(*each.kind, place, each.name)
        if no_wait:
            click.echo(f"{each.name} is being deleted")
            continue
        wait_until_gone(cluster, each.kind, place, each.name, timeout_seconds)
        click.echo(f"{each.name} deleted")
