"""`solrbench report`: the results of one benchmark as table, Markdown, CSV or JSON."""

from typing import Any

import click
import orjson
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.options import as_cli_errors, cluster_options, open_cluster
from solrbench.cli.tables import print_result, print_slow
from solrbench.cluster.client import BENCHMARKS, Cluster
from solrbench.cluster.reports import Reports
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
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
    help="json is the full report: spec, environment, histograms, windows of every repeat.",
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
        benchmark = SolrBenchmark.parse(body)
        _print(cluster, benchmark, output)


def _print(cluster: Cluster, benchmark: SolrBenchmark, output: str) -> None:
    match output:
        case "markdown":
            documents = list(Reports(cluster).documents(benchmark).values())
            click.echo(to_markdown(benchmark, documents), nl=False)
        case "csv":
            results = results_with_totals(benchmark.status)
            click.echo(to_csv(results, benchmark.status.verdicts), nl=False)
        case "json":
            text = orjson.dumps(_full(Reports(cluster), benchmark), option=orjson.OPT_INDENT_2)
            click.echo(text.decode())
        case _:
            console = Console(highlight=False)
            print_result(console, benchmark)
            print_slow(console, _slow(cluster, benchmark, _SHOWN_SLOW))


def _slow(cluster: Cluster, benchmark: SolrBenchmark, most: int) -> list[str]:
    return slow_lines(Reports(cluster).documents(benchmark).values(), most)


def _full(reports: Reports, benchmark: SolrBenchmark) -> dict[str, Any]:
    environment = reports.environment(benchmark)
    as_json: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}
    return {
        "benchmark": benchmark.key,
        "spec": benchmark.spec.model_dump(**as_json),
        "status": benchmark.status.model_dump(**as_json),
        "environment": None if environment is None else environment.model_dump(**as_json),
        "steps": [each.model_dump(**as_json) for each in reports.documents(benchmark).values()],
    }
