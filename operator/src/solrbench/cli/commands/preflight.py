"""`solrbench preflight`: whether a cluster is ready for benchmarks, or for certain ones."""

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from solrbench.cli.files import read_documents, valid_resources
from solrbench.cli.files.reading import FILES_OPTIONAL
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.program import examples
from solrbench.cli.readiness.checks import CHECKS, Finding, Result, Subject
from solrbench.cli.terminal.layout import wrap_line
from solrbench.cluster.client import UnauthorizedError, UnreachableError
from solrbench.errors import SolrbenchError

_MARKS = {
    Result.OK: ("ok", "green"),
    Result.WARNING: ("warning", "yellow"),
    Result.FAILED: ("failed", "bold red"),
    Result.UNKNOWN: ("unknown", "yellow"),
}


@click.command(
    epilog=examples("solrbench preflight", "solrbench preflight -f bench.yaml -n search -o json")
)
@FILES_OPTIONAL
@output_option("text", "json")
@cluster_options
def preflight(
    files: tuple[Path, ...], output: str, context: str | None, namespace: str | None
) -> None:
    """Check whether a cluster, a namespace and the operator are ready.

    With files, also whether there is room for their pods, and what they need is installed; of a
    sweep for those of its largest point. Exit code 1 if a check failed.
    """
    benchmarks = valid_resources(read_documents(files)) if files else []
    cluster, place = open_cluster(context, namespace)
    subject = Subject(cluster.within(10.0), place, benchmarks)
    findings = []
    for name, check in CHECKS.items():
        try:
            findings += [each.named(name) for each in check(subject)]
        except (UnreachableError, UnauthorizedError):
            raise
        except SolrbenchError as error:
            findings.append(Finding(Result.UNKNOWN, error.message, check=name))
    if output == "json":
        click.echo(json.dumps([asdict(each) for each in findings], indent=2))
    else:
        _print(findings)
    if any(each.result is Result.FAILED for each in findings):
        raise click.exceptions.Exit(1)


def _print(findings: list[Finding]) -> None:
    console = Console(highlight=False)
    width = console.width if console.is_terminal else None
    for each in findings:
        word, style = _MARKS[each.result]
        text = f"{each.check}: {each.message}" + (f"; {each.remedy}" if each.remedy else "")
        for index, line in enumerate(wrap_line(text, None if width is None else width - 9)):
            head = Text(f"{word:<9}" if index == 0 else " " * 9, style=style)
            console.print(head + Text(line), soft_wrap=True)
