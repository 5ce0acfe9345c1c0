"""What becomes of a resource of the same name, and the wait for the end of a deletion."""

import time

import click

from solrbench.cli.program import program_name
from solrbench.cli.resources import Kind
from solrbench.cluster.client import SWEEPS, Cluster, Manifest
from solrbench.decide.conditions import SUCCEEDED

POLL_SECONDS = 0.5
LOG_SECONDS = 5.0
"""Time between two lines about a deletion that takes long."""
REPLACE_SECONDS = 600.0
"""How long the deletion of a replaced resource may take without `--timeout`."""


def replace_existing(cluster: Cluster, body: Manifest, seconds: float, *, replace: bool) -> None:
    """See to it that a resource can run: one that ran before keeps its result unless replaced.

    A sweep that is over may be applied again: it then measures the points that are new.

    Raises:
        click.ClickException: if a benchmark has run already, or its deletion takes too long.

    """
    kind, metadata = (body["apiVersion"], body["kind"]), body["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    if replace:
        cluster.delete(*kind, namespace, name)
        wait_until_gone(cluster, kind, namespace, name, seconds)
        return
    stored = None if kind == SWEEPS else cluster.get(*kind, namespace, name)
    if stored is not None and is_over(stored):
        raise click.ClickException(
            f"{name} has run already; see it with `{program_name()} report {name}`,"
            " or run it again with --replace"
        )


def is_over(body: Manifest) -> bool:
    """Return whether a stored benchmark or sweep has ended, either way."""
    conditions = (body.get("status") or {}).get("conditions") or []
    return any(
        each["type"] == SUCCEEDED and each["status"] in {"True", "False"} for each in conditions
    )


def wait_until_gone(
    cluster: Cluster, kind: Kind, namespace: str, name: str, seconds: float
) -> None:
    """Wait until a deleted resource is gone, with a line every few seconds.

    Raises:
        click.ClickException: if something still holds it after so many seconds.

    """
    began = said = time.monotonic()
    while (left := cluster.get(*kind, namespace, name)) is not None:
        now = time.monotonic()
        holders = ", ".join(left["metadata"].get("finalizers") or []) or "nothing"
        if now - began > seconds:
            raise click.ClickException(
                f"{name} is still being deleted after {seconds:g} s, held by the finalizers:"
                f" {holders}; check that the operator runs, then try again"
            )
        if now - said > LOG_SECONDS:
            said = now
            click.echo(f"{name} is being deleted, held by: {holders}", err=True)
        time.sleep(POLL_SECONDS)
