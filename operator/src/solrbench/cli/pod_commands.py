"""Commands that pods of the operator image run; users need not call them."""

import os
import sys
from pathlib import Path

import click

from solrbench.errors import SolrbenchError

PLAN = click.option(
    "--plan",
    "plan_file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the plan that the operator wrote, as JSON.",
)


@click.command()
def operator() -> None:
    """Run the operator; its settings are the variables SOLRBENCH_*."""
    from solrbench.controller.main import run_operator  # noqa: PLC0415  kopf takes a second

    try:
        run_operator(os.environ)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@click.command()
@click.option("--seconds", type=click.FloatRange(min=1), default=30.0, help="How long to wait.")
def uninstall(seconds: float) -> None:
    """Suspend benchmarks on existing targets, so that none waits for an operator that is gone."""
    from solrbench.controller.uninstall import run_uninstall  # noqa: PLC0415

    try:
        run_uninstall(os.environ, click.echo, seconds)
    except (SolrbenchError, ValueError) as error:
        raise click.ClickException(str(error)) from error


@click.command()
@PLAN
@click.option(
    "--completion-index",
    required=True,
    envvar="JOB_COMPLETION_INDEX",
    type=click.IntRange(min=0),
    help="Which part of the dataset this pod sends, from 0.",
)
def index(plan_file: Path, completion_index: int) -> None:
    """Send one pod's part of a dataset to Solr."""
    from solrbench.dataset.command import run_index  # noqa: PLC0415

    sys.exit(run_index(plan_file, completion_index))


@click.command("export-results")
@PLAN
def export_results(plan_file: Path) -> None:
    """Write the results of a benchmark to a volume or a bucket."""
    from solrbench.export.command import run_export  # noqa: PLC0415

    sys.exit(run_export(plan_file))


@click.command()
@click.argument("role", type=click.Choice(["master", "worker"]))
@PLAN
def load(role: str, plan_file: Path) -> None:
    """Run the load master or one of its workers."""
    # A fresh interpreter: gevent patches the standard library before it is imported.
    arguments = [sys.executable, "-m", "solrbench.load", role, "--plan", str(plan_file)]
    os.execv(sys.executable, arguments)  # noqa: S606
