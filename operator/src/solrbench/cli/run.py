"""`solrbench run` and `solrbench watch`: from a file to its result table."""

import sys
import time
from pathlib import Path

import click

from solrbench.api.v1alpha1 import KIND, SolrBenchmark
from solrbench.cli.files import FILES, benchmarks, read_objects
from solrbench.cli.follow import (
    EXIT_FAILED,
    EXIT_INVALID,
    EXIT_STILL_RUNNING,
    EXIT_SUCCEEDED,
    follow,
)
from solrbench.cli.options import as_cli_errors, cluster_options, open_cluster
from solrbench.cluster.client import BENCHMARKS, Cluster, Manifest
from solrbench.decide.conditions import is_finished

MANAGER = "kubectl-solrbench"
POLL_SECONDS = 0.5
REPLACE_SECONDS = 600.0
"""How long the deletion of a replaced benchmark may take without `--timeout`."""

WORST_FIRST = (EXIT_FAILED, EXIT_STILL_RUNNING, EXIT_INVALID)
"""Of several benchmarks, the exit code that counts."""

TIMEOUT = click.option(
    "--timeout",
    "timeout_seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop watching after this many seconds; the benchmark goes on (exit code 3).",
)

REQUIRE_VALID = click.option(
    "--require-valid",
    is_flag=True,
    help="Exit with code 4 if any step is Invalid.",
)


@click.command()
@FILES
@click.option("--replace", is_flag=True, help="Delete benchmarks of the same name first.")
@click.option("--no-watch", is_flag=True, help="Return as soon as everything is applied.")
@TIMEOUT
@REQUIRE_VALID
@cluster_options
def run(  # noqa: PLR0913, PLR0917  one argument for each option
    files: tuple[Path, ...],
    replace: bool,
    no_watch: bool,
    timeout_seconds: float | None,
    require_valid: bool,
    context: str | None,
    namespace: str | None,
) -> None:
    """Apply benchmarks, follow them, and print their results.

    Exit code 0: all succeeded, 1: one failed, 3: still running after --timeout, 4: a step is
    Invalid and --require-valid is given.
    """
    bodies = read_objects(files)
    wanted = benchmarks(bodies)
    if not wanted:
        raise click.ClickException(f"no {KIND} in the files given")
    cluster, default = open_cluster(context, namespace)
    for body in bodies:
        body["metadata"]["namespace"] = namespace or body["metadata"].get("namespace") or default
    with as_cli_errors():
        for body in bodies:
            _apply(cluster, body, replace, timeout_seconds or REPLACE_SECONDS)
        if not no_watch:
            places = [b["metadata"] for b in bodies if b["kind"] == KIND]
            codes = {
                follow(
                    cluster,
                    place["namespace"],
                    place["name"],
                    timeout_seconds,
                    require_valid=require_valid,
                )
                for place in places
            }
            sys.exit(next((code for code in WORST_FIRST if code in codes), EXIT_SUCCEEDED))


@click.command()
@click.argument("name")
@TIMEOUT
@REQUIRE_VALID
@cluster_options
def watch(
    name: str,
    timeout_seconds: float | None,
    require_valid: bool,
    context: str | None,
    namespace: str | None,
) -> None:
    """Follow a benchmark to its end and print its results.

    Exit code 0: it succeeded, 1: it failed, 3: still running after --timeout, 4: a step is Invalid
    and --require-valid is given.
    """
    cluster, place = open_cluster(context, namespace)
    with as_cli_errors():
        sys.exit(follow(cluster, place, name, timeout_seconds, require_valid=require_valid))


def _apply(cluster: Cluster, body: Manifest, replace: bool, seconds: float) -> None:
    if body["kind"] == KIND:
        _replace_existing(cluster, body, replace, seconds)
    cluster.apply(body, manager=MANAGER)
    metadata = body["metadata"]
    click.echo(f"{body['kind']} {metadata['name']} applied")


def _replace_existing(cluster: Cluster, body: Manifest, replace: bool, seconds: float) -> None:
    """See to it that a benchmark can run: one that ran before keeps its result unless replaced."""
    metadata = body["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    if replace:
        cluster.delete(*BENCHMARKS, namespace, name)
        _wait_until_gone(cluster, namespace, name, seconds)
        return
    stored = cluster.get(*BENCHMARKS, namespace, name)
    if stored is not None and _has_ended(stored):
        raise click.ClickException(
            f"{name} has run already; see it with `solrbench report {name}`,"
            " or run it again with --replace"
        )


def _wait_until_gone(cluster: Cluster, namespace: str, name: str, seconds: float) -> None:
    """Wait until a deleted benchmark is gone.

    Raises:
        click.ClickException: if something still holds it after so many seconds.

    """
    end = time.monotonic() + seconds
    while (left := cluster.get(*BENCHMARKS, namespace, name)) is not None:
        if time.monotonic() > end:
            holders = ", ".join(left["metadata"].get("finalizers") or []) or "nothing"
            raise click.ClickException(
                f"{name} is still being deleted after {seconds:g} s, held by the finalizers:"
                f" {holders}; check that the operator runs, then try again"
            )
        time.sleep(POLL_SECONDS)


def _has_ended(body: Manifest) -> bool:
    return is_finished(SolrBenchmark.parse(body).status)
