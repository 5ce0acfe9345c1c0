"""`solrbench validate`: the same verdict as the API server's, without a cluster."""

from pathlib import Path

import click

from solrbench.api.v1alpha1 import KIND
from solrbench.cli.files import FILES, benchmarks, read_objects


@click.command()
@FILES
def validate(files: tuple[Path, ...]) -> None:
    """Check benchmark files without a cluster."""
    found = benchmarks(read_objects(files))
    if not found:
        raise click.ClickException(f"no {KIND} in the files given")
    for benchmark in found:
        click.echo(f"{benchmark.metadata.name}: valid")
