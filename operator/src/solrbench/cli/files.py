"""YAML files with benchmarks and what they refer to."""

from pathlib import Path
from typing import Any

import click
import yaml
from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import KIND, SolrBenchmark

FILES = click.option(
    "-f",
    "--filename",
    "files",
    required=True,
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="YAML file with SolrBenchmarks and what they refer to; - reads standard input.",
)


def read_objects(files: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Return every object of every file, in order.

    Raises:
        click.ClickException: if a file is not YAML, or holds something that is no object.

    """
    return [body for file in files for body in _read(file)]


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        with click.open_file(str(file)) as stream:
            bodies = [body for body in yaml.safe_load_all(stream) if body is not None]
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file}: not readable as YAML: {error}") from error
    for body in bodies:
        if not isinstance(body, dict) or not {"apiVersion", "kind", "metadata"} <= body.keys():
            raise click.ClickException(
                f"{file}: every document needs apiVersion, kind and metadata.name"
            )
    return bodies


def benchmarks(bodies: list[dict[str, Any]]) -> list[SolrBenchmark]:
    """Return the benchmarks among some objects.

    Raises:
        click.ClickException: if one breaks the schema; names every field and what to write.

    """
    return [_parse(body) for body in bodies if body["kind"] == KIND]


def _parse(body: dict[str, Any]) -> SolrBenchmark:
    try:
        return SolrBenchmark.parse(body)
    except ValidationError as error:
        name = (body.get("metadata") or {}).get("name", "?")
        lines = "\n".join(f"  {line}" for line in problems(error))
        raise click.ClickException(f"{KIND} {name} is not valid:\n{lines}") from error
