"""`solrbench report`: the results of one benchmark as table, Markdown, CSV or JSON."""

from typing import Any

import click
import orjson
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.files import parse_stored
from solrbench.cli.options import as_cli_errors, cluster_options, open_cluster
from solrbench.cli.tables import print_result, print_slow
from solrbench.cluster.client import BENCHMARKS, Cluster
from solrbench.cluster.evidence import read_evidence
from solrbench.cluster.stored_results import read_environment, sorted_documents
from solrbench.results.text.render import to_csv, to_markdown
from solrbench.results.text.slow_requests import slow_lines
from solrbench.results.text.totals import results_with_totals

_SHOWN_SLOW = 3
"""Slow requests of each name on a terminal; documents hold all."""


@click.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "markdown", "csv", "json", "evidence"]),
    default="table",
    show_default=True,
    help=(
        "json is the full report: spec, environment, histograms, windows of every repeat;"
        " evidence is what was kept of failures: logs, events, the state of the collection."
    ),
)
@cluster_options
def report(name: str, output: str, context: str | None, namespace: str | None) -> None:
    """Print the results of a benchmark.

    While it runs, these are the results of the steps stored so far.
    """
    cluster, place = open_cluster(context, namespace)
    with as_cli_errors():
        body = cluster.get(*BENCHMARKS, place, name)
        if body is None:
            raise click.ClickException(f"there is no SolrBenchmark {name} in namespace {place}")
        benchmark = parse_stored(body)
        _print(cluster, benchmark, output)


def _print(cluster: Cluster, benchmark: SolrBenchmark, output: str) -> None:
    match output:
        case "markdown":
            documents = sorted_documents(cluster, benchmark)
            click.echo(to_markdown(benchmark, documents), nl=False)
        case "csv":
            results = results_with_totals(benchmark.status)
            click.echo(to_csv(results, benchmark.status.verdicts), nl=False)
        case "json":
            text = orjson.dumps(full_report(cluster, benchmark), option=orjson.OPT_INDENT_2)
            click.echo(text.decode())
        case "evidence":
            click.echo(_evidence(cluster, benchmark), nl=False)
        case _:
            console = Console(highlight=False)
            print_result(console, benchmark)
            print_slow(console, _slow(cluster, benchmark, _SHOWN_SLOW))


def _slow(cluster: Cluster, benchmark: SolrBenchmark, most: int) -> list[str]:
    return slow_lines(sorted_documents(cluster, benchmark), most)


def _evidence(cluster: Cluster, benchmark: SolrBenchmark) -> str:
    """Return what was kept of each failure, oldest first."""
    entries = read_evidence(cluster, benchmark)
    if not entries:
        return f"{benchmark.key}: no pod was lost and nothing failed, so nothing was kept\n"
    return "\n".join(f"=== {key}\n{text}" for key, text in entries.items())


def full_report(cluster: Cluster, benchmark: SolrBenchmark) -> dict[str, Any]:
    """Return all that is stored of a benchmark, as JSON has it."""
    environment = read_environment(cluster, benchmark)
    as_json: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}
    return {
        "benchmark": benchmark.key,
        "spec": benchmark.spec.model_dump(**as_json),
        "status": benchmark.status.model_dump(**as_json),
        "environment": None if environment is None else environment.model_dump(**as_json),
        "evidence": read_evidence(cluster, benchmark),
        "steps": [each.model_dump(**as_json) for each in sorted_documents(cluster, benchmark)],
    }
