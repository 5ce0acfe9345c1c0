"""`solrbench stop`, `resume` and `delete`, and the wait for the end of a deletion."""

import sys
import time

import click

from solrbench.api.identity import SWEEP_SHORT_NAME
from solrbench.cli.main import command
from solrbench.cli.options import DURATION, cluster_options, open_cluster
from solrbench.cli.program import program_name
from solrbench.cli.resources import ResourceKey, get_resource, key_of
from solrbench.contract.names import LABEL_SWEEP
from solrbench.decide.conditions import COMPLETE, is_over, stored_condition
from solrbench.kube.client import Cluster

POLL_SECONDS = 0.5
LOG_SECONDS = 5.0
"""Time between two lines about a deletion that takes long."""
REPLACE_SECONDS = 600.0
"""How long the deletion of a replaced resource may take without `--timeout`."""


def refuse_if_over(cluster: Cluster, key: ResourceKey) -> None:
    """Raise `click.ClickException` if a benchmark has run already.

    A sweep that is over may be applied again: it then measures the points that are new.
    """
    stored = None if key.is_sweep else cluster.get(*key)
    if stored is not None and is_over(stored):
        raise click.ClickException(
            f"{key.name} has already run. Show it: `{program_name()} report {key.argument}`;"
            " or run it again with --replace"
        )


def wait_until_gone(cluster: Cluster, key: ResourceKey, seconds: float) -> None:
    """Wait until a deleted resource is gone, with a line every few seconds.

    One that its sweep, or another client, has made again meanwhile is not waited for.

    It raises `click.ClickException` if something still holds it after so many seconds.
    """
    began = said = time.monotonic()
    while (left := cluster.get(*key)) and left["metadata"].get("deletionTimestamp"):
        now = time.monotonic()
        holders = ", ".join(left["metadata"].get("finalizers") or []) or "nothing"
        if now - began > seconds:
            raise click.ClickException(
                f"{key.name} is still being deleted after {seconds:g} s, held by the finalizers:"
                f" {holders}; check that the operator runs, then try again"
            )
        if now - said > LOG_SECONDS:
            said = now
            click.echo(f"{key.name} is being deleted, held by: {holders}", err=True)
        time.sleep(POLL_SECONDS)


NAMES = click.argument("names", metavar="NAME...", nargs=-1, required=True)


@command("solrbench stop nightly-7xk2p", "solrbench stop ssweep/heaps")
@NAMES
@cluster_options
def stop(names: tuple[str, ...]) -> None:
    """Stop a benchmark or a sweep: pods are removed, stored results are kept.

    It sets spec.suspend; of a sweep no further point begins. What a benchmark that is over has made
    stays; see delete.
    """
    _suspend(names, suspend=True)


@command("solrbench resume nightly-7xk2p")
@NAMES
@cluster_options
def resume(names: tuple[str, ...]) -> None:
    """Let a stopped benchmark go on with the steps that are not stored yet, or a sweep.

    It clears spec.suspend. The target is created again, and its data indexed.
    """
    _suspend(names, suspend=False)


def _suspend(names: tuple[str, ...], *, suspend: bool) -> None:
    cluster, namespace = open_cluster()
    change = {"spec": {"suspend": suspend}}
    for name in names:
        stored = cluster.merge(*key_of(get_resource(cluster, namespace, name)), change)
        # Asked of the response: it may have ended since it was read.
        if stored_condition(stored, COMPLETE).get("status") == "True":
            click.echo(f"{name} has finished already: nothing changes", err=True)
            continue
        if sweep := (stored["metadata"].get("labels") or {}).get(LABEL_SWEEP):
            whole = f"{'stop' if suspend else 'resume'} -n {namespace} {SWEEP_SHORT_NAME}/{sweep}"
            undone = f"{name} is a point of a sweep, which undoes this"
            click.echo(f"Warning: {undone}; use {program_name()} {whole}", err=True)
        again = f"{program_name()} resume -n {namespace} {name}"
        click.echo(f"{name} {f'is stopped; go on: {again}' if suspend else 'goes on'}")


@command("solrbench delete quickstart", "solrbench delete --yes a b --timeout 5m")
@NAMES
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--no-wait", is_flag=True, help="Return before it is gone.")
@click.option(
    "--timeout",
    "timeout_seconds",
    type=DURATION,
    default=str(int(REPLACE_SECONDS)),
    help="How long to wait for the end of the deletion (default: 10m).",
)
@cluster_options
def delete(names: tuple[str, ...], yes: bool, no_wait: bool, timeout_seconds: float) -> None:
    """Delete benchmarks or sweeps, their results, and all they made: of a sweep all its points."""
    cluster, namespace = open_cluster()
    keys = [key_of(get_resource(cluster, namespace, name)) for name in names]
    if not yes and sys.stdin.isatty():
        click.confirm(
            f"Delete {', '.join(names)} in namespace {namespace}, with the results?", abort=True
        )
    elif not yes:
        # Without a terminal, such as in CI, a question would never be answered.
        raise click.UsageError(
            "this deletes results: give --yes, since there is no terminal to ask"
        )
    for key in keys:
        cluster.delete(*key)
        if no_wait:
            click.echo(f"{key.name} is being deleted")
            continue
        wait_until_gone(cluster, key, timeout_seconds)
        click.echo(f"{key.name} deleted")
