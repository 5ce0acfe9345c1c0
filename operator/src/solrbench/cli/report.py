"""`solrbench report`: the results of one benchmark, for people and for programs."""

import io
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

import click
import orjson
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.files import parse_stored
from solrbench.cli.options import as_cli_errors, cluster_options, open_cluster, output_option
from solrbench.cli.program import examples
from solrbench.cli.resources import Resource, get_resource
from solrbench.cli.terminal.detail_tables import print_details
from solrbench.cli.terminal.sweep_tables import print_sweep
from solrbench.cli.terminal.tables import print_result
from solrbench.cluster.client import Cluster
from solrbench.cluster.evidence import read_evidence
from solrbench.cluster.result_documents import read_environment, sorted_documents
from solrbench.report.model import Report, ReportFormatError
from solrbench.report.results_csv import to_csv
from solrbench.report.sweep.csv import points_to_csv
from solrbench.report.sweep.markdown import sweep_to_markdown
from solrbench.report.sweep.model import SweepReport
from solrbench.report.windows_csv import windows_to_csv
from solrbench.results.text.results_markdown import to_markdown
from solrbench.results.text.totals import results_with_totals

_FILE_SUFFIX = ".json"
_FILE_IN_FOLDER = "report.json"
"""In the folder of an export."""


class Output(StrEnum):
    """Forms of the report."""

    TABLE = "table"
    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"
    WINDOWS = "csv-windows"
    JSON = "json"
    JUNIT = "junit"
    EVIDENCE = "evidence"


@click.command(
    epilog=examples(
        "solrbench report quickstart",
        "solrbench report quickstart -o html --output-file quickstart.html",
        'solrbench report quickstart -o markdown >> "$GITHUB_STEP_SUMMARY"',
        "solrbench report quickstart.json -o junit",
        "solrbench report ssweep/heaps -o html --output-file heaps.html",
    )
)
@click.argument("name", metavar="NAME|FILE")
@output_option(
    *(each.value for each in Output),
    text=(
        "html is one file with figures that needs no network; markdown fits the summary of a CI"
        " job; csv is one line for each result, csv-windows one for each second; json is the full"
        " report: spec, environment, histograms, windows of every repeat; junit has the verdicts"
        " as test cases; evidence is what was kept of failures: logs, events, the state of the"
        " collection."
    ),
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File to write instead of the terminal.",
)
@cluster_options
def report(
    name: str,
    output: str,
    output_file: Path | None,
    context: str | None,
    namespace: str | None,
) -> None:
    """Print the results of a benchmark or a sweep.

    While it runs, these are the results of the steps stored so far. A sweep is ssweep/NAME, or NAME
    if no benchmark has it; its csv has a line for each point. FILE is a report that was written
    before with -o json, and ends in .json, or a folder such as ./export with report.json; it needs
    no cluster.
    """
    form = Output(output)
    if form is Output.HTML and output_file is None and sys.stdout.isatty():
        raise click.ClickException("a page is no text for a terminal; give --output-file FILE")
    with as_cli_errors():
        found = _from_file(name) if _is_file(name) else _from_cluster(name, context, namespace)
        if form is Output.TABLE and output_file is None:
            _print(found, Console(highlight=False))
            return
        text = write_report(found, form)
    if output_file is None:
        click.echo(text, nl=False)
    else:
        output_file.write_text(text, "utf-8", newline="")


def _is_file(name: str) -> bool:
    path = Path(name)
    is_folder = "/" in name and (path / _FILE_IN_FOLDER).is_file()
    return is_folder or (name.endswith(_FILE_SUFFIX) and path.is_file())


def _from_file(name: str) -> Report | SweepReport:
    try:
        path = Path(name)
        text = (path / _FILE_IN_FOLDER if path.is_dir() else path).read_bytes()
        return SweepReport.parse(text) if _is_of_sweep(text) else Report.parse(text)
    except (OSError, ReportFormatError) as error:
        raise click.ClickException(f"{name}: {error}") from error


def _is_of_sweep(text: bytes) -> bool:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return isinstance(body, dict) and "sweep" in body


def _from_cluster(name: str, context: str | None, namespace: str | None) -> Report | SweepReport:
    cluster, place = open_cluster(context, namespace)
    return read_any_report(cluster, get_resource(cluster, place, name))


def read_any_report(cluster: Cluster, found: Resource) -> Report | SweepReport:
    """Return the full report of a benchmark or a sweep, as far as it is stored.

    Raises:
        SolrbenchError: if the cluster does not return it.

    """
    if not found.is_sweep:
        return read_report(cluster, parse_stored(found.body))
    from solrbench.cli.sweep_report import read_sweep_report  # noqa: PLC0415  of the extra "report"

    return read_sweep_report(cluster, found.body)


def read_report(cluster: Cluster, benchmark: SolrBenchmark) -> Report:
    """Return the full report of a benchmark, as far as it is stored.

    Raises:
        SolrbenchError: if the cluster does not return it.

    """
    return Report(
        benchmark=benchmark.key,
        spec=benchmark.spec,
        status=benchmark.status,
        environment=read_environment(cluster, benchmark),
        evidence=read_evidence(cluster, benchmark),
        steps=sorted_documents(cluster, benchmark),
    )


def _html(found: Report) -> str:
    # Percentiles of distributions are computed from histograms, for which the other forms need
    # no library.
    from solrbench.report.html import render_html  # noqa: PLC0415 - of the extra "report"

    return render_html(found)


def _sweep_html(found: SweepReport) -> str:
    from solrbench.report.html import render_sweep_html  # noqa: PLC0415 - of the extra "report"

    return render_sweep_html(found)


def _junit(found: Report) -> str:
    from solrbench.report.junit import to_junit  # noqa: PLC0415 - of the extra "report"

    return to_junit(found.as_benchmark) + "\n"


def _sweep_junit(found: SweepReport) -> str:
    from solrbench.report.sweep.junit import sweep_to_junit  # noqa: PLC0415 - the same

    return sweep_to_junit(found) + "\n"


def _print(found: Report | SweepReport, console: Console) -> None:
    if isinstance(found, Report):
        print_result(console, found.as_benchmark)
        print_details(console, found.steps)
    else:
        print_sweep(console, found)


def write_report(found: Report | SweepReport, form: str) -> str:
    """Return a form of the report, one of `Output`.

    Raises:
        click.ClickException: if a sweep has none of this kind.

    """
    if form is Output.TABLE:
        out = io.StringIO()
        _print(found, Console(file=out, highlight=False))
        return out.getvalue()
    wanted = Output(form)
    if isinstance(found, Report):
        return _WRITERS[wanted](found)
    if wanted not in _SWEEP_WRITERS:
        raise click.ClickException(
            f"a sweep has no {form}; see the report of the benchmark of a point"
        )
    return _SWEEP_WRITERS[wanted](found)


def _evidence(found: Report) -> str:
    """Return what was kept of each failure, oldest first."""
    if not found.evidence:
        return f"{found.benchmark}: no pod was lost and nothing failed, so nothing was kept\n"
    return "\n".join(f"=== {key}\n{text}" for key, text in found.evidence.items())


_WRITERS: Mapping[Output, Callable[[Report], str]] = {
    Output.HTML: _html,
    Output.MARKDOWN: lambda found: to_markdown(found.as_benchmark, found.steps, found.environment),
    Output.CSV: lambda found: to_csv(results_with_totals(found.status), found.status.verdicts),
    Output.WINDOWS: lambda found: windows_to_csv(found.steps),
    Output.JSON: lambda found: found.to_json().decode() + "\n",
    Output.JUNIT: _junit,
    Output.EVIDENCE: _evidence,
}
"""What writes each form."""

_SWEEP_WRITERS: Mapping[Output, Callable[[SweepReport], str]] = {
    Output.HTML: _sweep_html,
    Output.MARKDOWN: sweep_to_markdown,
    Output.CSV: points_to_csv,
    Output.JSON: lambda found: found.to_json().decode() + "\n",
    Output.JUNIT: _sweep_junit,
}
"""The same of sweeps."""
