"""`solrbench validate`: the same verdict as the API server's, without a cluster."""

from pathlib import Path

import click

from solrbench.api.v1alpha1 import KIND
from solrbench.cli.exit_codes import ExitCode
from solrbench.cli.files import FILES, read_documents
from solrbench.cli.files.changes import SET, apply_changes
from solrbench.cli.files.faults import check
from solrbench.cli.program import examples


@click.command(
    epilog=examples(
        "solrbench validate -f examples/",
        "helm template my-chart | solrbench validate -f -",
    )
)
@FILES
@SET
def validate(files: tuple[Path, ...], changes: tuple[str, ...]) -> None:
    """Check benchmark files without a cluster.

    All faults of all files are shown, each with its line. Exit code 1 if there is one.
    """
    documents = read_documents(files)
    apply_changes(documents, changes)
    wanted = [each for each in documents if each.is_benchmark]
    if not wanted:
        raise click.ClickException(f"no {KIND} in the files given")
    bad = 0
    for document in wanted:
        benchmark, faults = check(document)
        bad += bool(faults)
        for line in faults:
            click.echo(line, err=True)
        if benchmark is not None and not faults:
            metadata = document.body["metadata"]
            click.echo(f"{metadata.get('name') or metadata['generateName']}: valid")
    if bad:
        raise click.exceptions.Exit(ExitCode.FAILED)
