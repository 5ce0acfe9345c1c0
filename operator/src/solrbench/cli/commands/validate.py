"""`solrbench validate`: the same verdict as the API server's, without a cluster."""

from pathlib import Path

import click

from solrbench.api.kinds import SWEEP
from solrbench.api.v1alpha1 import KIND
from solrbench.cli.exit_codes import ExitCode
from solrbench.cli.files import FILES, Document, read_documents
from solrbench.cli.files.changes import SET, apply_changes
from solrbench.cli.files.validation import check, unknown_kinds
from solrbench.cli.program import examples
from solrbench.sweep.offline import check_sweep


@click.command(
    epilog=examples(
        "solrbench validate -f examples/",
        "helm template my-chart | solrbench validate -f -",
    )
)
@FILES
@SET
def validate(files: tuple[Path, ...], changes: tuple[str, ...]) -> None:
    """Check files with benchmarks and sweeps without a cluster.

    Of a sweep all points are shown in their order, with the time and the resources they need.
    All faults of all files are shown, each with its line. Exit code 1 if there is one.
    """
    documents = read_documents(files)
    apply_changes(documents, changes)
    wanted = [each for each in documents if each.is_benchmark]
    sweeps = [each for each in documents if each.is_sweep]
    unknown = unknown_kinds(documents)
    if not wanted and not sweeps and not unknown:
        raise click.ClickException(f"no {KIND} or {SWEEP.name} in the files given")
    bad = len(unknown) + sum(not _is_good_sweep(each) for each in sweeps)
    for line in unknown:
        click.echo(line, err=True)
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


def _is_good_sweep(document: Document) -> bool:
    """Print the points of a sweep, or each point and field that is not valid."""
    sweep = check_sweep(document.body)
    for problem in sweep.problems:
        line = document.line_of(("spec",))
        click.echo(
            f"{document.source}:{line}: {SWEEP.name} {sweep.name} is not valid: {problem}", err=True
        )
    if sweep.problems:
        return False
    summary, *points = sweep.lines
    click.echo(f"{sweep.name}: valid, {summary}")
    for line_of_point in points:
        click.echo(f"  {line_of_point}")
    return True
