"""`solrbench validate`: the same verdict as the API server's, without a cluster."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from solrbench.api.kinds import SWEEP
from solrbench.api.v1alpha1 import KIND
from solrbench.cli.files import FILES, benchmarks, read_objects
from solrbench.sweep.offline import check_sweep


@click.command()
@FILES
def validate(files: tuple[Path, ...]) -> None:
    """Check files with benchmarks and sweeps without a cluster.

    Of a sweep all points are shown in their order, with the time and the resources they need.
    """
    objects = read_objects(files)
    found = benchmarks(objects)
    sweeps = [each for each in objects if each["kind"] == SWEEP.name]
    if not found and not sweeps:
        raise click.ClickException(f"no {KIND} or {SWEEP.name} in the files given")
    for benchmark in found:
        click.echo(f"{benchmark.metadata.name}: valid")
    validate_sweeps(sweeps)


def validate_sweeps(bodies: Sequence[dict[str, Any]]) -> None:
    """Print the points of each sweep.

    Raises:
        click.ClickException: if one is not valid; names every point and field.

    """
    for sweep in map(check_sweep, bodies):
        if sweep.problems:
            lines = "\n".join(f"  {line}" for line in sweep.problems)
            raise click.ClickException(f"{SWEEP.name} {sweep.name} is not valid:\n{lines}")
        summary, *points = sweep.lines
        click.echo(f"{sweep.name}: valid, {summary}")
        for line in points:
            click.echo(f"  {line}")
