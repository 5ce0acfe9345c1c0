"""`solrbench report`: the results for people and programs; `solrbench open`: Locust's page."""

import gzip
import io
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import click
import orjson
from rich.console import Console

from solrbench.analysis.answers import (
    ComparedAnswers,
    compare_answers,
    compare_variant_answers,
    first_answers,
    stored_answers,
)
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.files import REPORT_FILES, REPORT_SUFFIXES, find_report_file
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, given, open_cluster, output_option
from solrbench.cli.resources import get_resource, key_of
from solrbench.cli.result_tables import print_details, print_result, print_sweep
from solrbench.cli.validation import parse_stored
from solrbench.contract.load_plan import TOKEN, WEB_PORT
from solrbench.contract.names import LABEL_BENCHMARK, LABEL_COMPONENT, LOAD_MASTER
from solrbench.contract.step_document import StepRunResult
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.facts import read_diagnostics
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import read_environment, sorted_documents
from solrbench.present.csv import points_to_csv, to_csv, windows_to_csv
from solrbench.present.markdown import sweep_to_markdown, to_markdown
from solrbench.present.report import Report, ReportFormatError
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.window_tables import whole_note

FORMS = ("table", "html", "markdown", "csv", "csv-windows", "json", "junit", "evidence")


@command(
    "solrbench report quickstart",
    "solrbench report quickstart -o html --output-file quickstart.html",
    'solrbench report quickstart -o markdown >> "$GITHUB_STEP_SUMMARY"',
    "solrbench report quickstart.json -o junit",
    "solrbench report ssweep/heaps -o html --output-file heaps.html",
)
@click.argument("name", metavar="NAME|FILE")
@output_option(
    *FORMS,
    text="html is one file with figures that needs no network; markdown fits the summary of a CI"
    " job; csv is one line for each result, csv-windows one for each second; json is the full"
    " report: spec, environment, histograms, windows of every repeat; junit has the verdicts"
    " as test cases; evidence is what was kept of failures: logs, events, the state of the"
    " collection.",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File to write instead of the terminal.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Print every figure with its interval, checks that were not decided, failures and waits;"
    " of -o table alone.",
)
@cluster_options
def report(name: str, output: str, output_file: Path | None, *, details: bool) -> None:
    """Print the results of a benchmark or a sweep.

    While it runs, these are the results of the steps stored so far. A sweep is ssweep/NAME, or NAME
    if no benchmark has it; its csv has a line for each point. FILE is a report that was written
    before with -o json, and ends in .json or .json.gz, or a folder such as ./export with one; it
    needs no cluster.
    """
    if output == "html" and output_file is None and sys.stdout.isatty():
        raise click.ClickException("HTML cannot be printed to a terminal. Use --output-file FILE.")
    if details and output != "table":
        raise click.UsageError(f"--details is for -o table; {output} always has all that it can")
    loaded = _from_file(name)
    file = None if loaded is None else name
    if loaded is None:
        cluster, namespace = open_cluster()
        body = get_resource(cluster, namespace, name)
        # Only the page shows cold starts, and the JSON, of which a page can be made later.
        drawn = output in ("html", "json")
        loaded = read_any_report(cluster, body, with_cold_starts=drawn)
    if output == "table" and output_file is None:
        _print(loaded, Console(highlight=False), in_full=details, file=file)
        return
    text = write_report(loaded, output, file)
    if output_file is None:
        click.echo(text, nl=False)
    else:
        # Without a change of line ends, which CSV has of its own.
        output_file.write_text(text, "utf-8", newline="")


def _from_file(name: str) -> Report | SweepReport | None:
    """Return the report of a file or a folder; None if it is the name of a resource."""
    path = Path(name)
    file = path if name.endswith(REPORT_SUFFIXES) else None
    # Without a slash, a folder that is here by chance would hide the resource of its name; none of
    # them begins with a dot.
    if ("/" in name or name.startswith(".")) and path.is_dir():
        file = find_report_file(path) or path / REPORT_FILES[0]
    if file is None:
        return None
    try:
        text = file.read_bytes()
        if file.suffix == ".gz":
            text = gzip.decompress(text)
        # What is no JSON at all is an error of Report.parse, too, which says what is wrong.
        with suppress(orjson.JSONDecodeError):
            body = orjson.loads(text)
            if isinstance(body, dict) and "sweep" in body:
                return SweepReport.parse(text)
        return Report.parse(text)
    except (OSError, EOFError, zlib.error, ReportFormatError) as error:
        raise click.ClickException(f"{name}: {error}") from error


def read_any_report(
    cluster: Cluster, body: Manifest, *, with_cold_starts: bool = True
) -> Report | SweepReport:
    """Return the full report of a benchmark or a sweep, as far as it is stored.

    `with_cold_starts` says whether those of a sweep are read, too.
    """
    if not key_of(body).is_sweep:
        return read_report(cluster, parse_stored(SolrBenchmark, body))
    from solrbench.cli.sweep_report import read_sweep_report  # noqa: PLC0415  of the extra "report"

    return read_sweep_report(cluster, body, with_cold_starts=with_cold_starts)


def read_report(cluster: Cluster, benchmark: SolrBenchmark) -> Report:
    """Return the full report of a benchmark, as far as it is stored."""
    steps = sorted_documents(cluster, benchmark)
    return Report(
        benchmark=benchmark.key,
        spec=benchmark.spec,
        status=benchmark.status,
        environment=read_environment(cluster, benchmark),
        evidence=read_diagnostics(cluster, benchmark),
        answers=[
            *compare_variant_answers(stored_answers(steps)),
            *_beside_baseline(cluster, benchmark, steps),
        ],
        steps=steps,
    )


def _beside_baseline(
    cluster: Cluster, benchmark: SolrBenchmark, steps: Sequence[StepRunResult]
) -> list[ComparedAnswers]:
    """Return the answers beside those of the baseline; nothing if it is gone."""
    baseline, answers = benchmark.spec.comparison.baseline, first_answers(steps)
    # Samples of a baseline need numpy, which the command has with the extra "report" only; without
    # it, the status has how many answers differ, and nothing has the examples.
    if baseline is None or answers is None or find_spec("numpy") is None:
        return []
    from solrbench.kube.results import BenchmarkResultStore, read_baseline  # noqa: PLC0415

    namespace, name = benchmark.metadata.namespace, benchmark.metadata.name
    try:
        before = read_baseline(cluster, BenchmarkResultStore(cluster), namespace, baseline)
    except SolrbenchError:  # the status says what is wrong with it
        return []
    earlier = first_answers(run.document for run in before.runs)
    return [compare_answers(earlier, answers, before.name, name)]


def _print(
    found: Report | SweepReport, console: Console, *, in_full: bool, file: str | None = None
) -> None:
    if not isinstance(found, Report):
        print_sweep(console, found, in_full=in_full, file=file)
        return
    print_result(console, found.as_benchmark, in_full=in_full, file=file)
    if in_full:
        print_details(console, found.steps)


def write_report(found: Report | SweepReport, form: str, file: str | None = None) -> str:
    """Return a form of the report, one of `FORMS`; `file` is that of `print_result`.

    It raises `click.ClickException` if a sweep has none of this kind, or an export has it alone.
    """
    if form == "table":
        out = io.StringIO()
        _print(found, Console(file=out, highlight=False), in_full=True, file=file)
        return out.getvalue()
    if form == "json":
        return found.to_json().decode() + "\n"
    return _write(found, form) if isinstance(found, Report) else _write_sweep(found, form)


def _write(found: Report, form: str) -> str:
    match form:
        case "html":
            # Percentiles of distributions are computed from histograms, for which the other forms
            # need no library.
            from solrbench.present.html import render_html  # noqa: PLC0415 - of the extra "report"

            text = render_html(found)
        case "junit":
            from solrbench.present.junit import to_junit  # noqa: PLC0415 - the same

            text = to_junit(found.as_benchmark) + "\n"
        case "markdown":
            text = to_markdown(found)
        case "csv":
            text = to_csv(found.status)
        case "csv-windows":
            if note := whole_note(found.steps):
                raise click.ClickException(note)
            text = windows_to_csv(found.steps)
        case _:
            # What was kept of each failure, oldest first.
            kept = [f"=== {key}\n{log}" for key, log in found.evidence.items()]
            nothing = "no pod was lost and nothing failed, so nothing was kept"
            text = "\n".join(kept) or f"{found.benchmark}: {nothing}\n"
    return text


def _write_sweep(found: SweepReport, form: str) -> str:
    match form:
        case "html":
            from solrbench.present.html import render_sweep_html  # noqa: PLC0415 - as above

            return render_sweep_html(found)
        case "junit":
            from solrbench.present.junit import sweep_to_junit  # noqa: PLC0415 - as above

            return sweep_to_junit(found) + "\n"
        case "markdown":
            return sweep_to_markdown(found)
        case "csv":
            return points_to_csv(found)
        case _:
            raise click.ClickException(
                f"a sweep has no {form}; see the report of the benchmark of a point"
            )


@command(
    "solrbench open quickstart",
    "solrbench open quickstart --port 9000",
    "solrbench open quickstart --report",
    "solrbench open ssweep/heaps",
    name="open",
)
@click.argument("name")
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=WEB_PORT,
    show_default=True,
    metavar="PORT",
    help="On this machine.",
)
@click.option(
    "--report", "wants_report", is_flag=True, help="Open the report, even while the load runs."
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@cluster_options
def open_page(name: str, port: int, wants_report: bool, no_browser: bool) -> None:
    """Open Locust's page of a benchmark whose load runs, until Ctrl-C; else the report.

    kubectl forwards the port. The report, also of a sweep, is written to a file of a temporary
    folder, which stays.
    """
    cluster, namespace = open_cluster()
    body = get_resource(cluster, namespace, name)
    key = key_of(body)
    pods: list[str] = []
    if not key.is_sweep and not wants_report:
        labels = {LABEL_BENCHMARK: key.name, LABEL_COMPONENT: LOAD_MASTER}
        pods = [
            pod["metadata"]["name"]
            for pod in cluster.list("v1", "Pod", namespace, labels)
            if (pod.get("status") or {}).get("phase") == "Running"
        ]
    if pods:
        # It does not return: Ctrl-C, or the end of the load, ends the program.
        # Its Stop button works with the token alone; without it the page is shown all the same.
        plan = cluster.get("v1", "ConfigMap", namespace, f"{key.name}-{LOAD_MASTER}")
        token = ((plan or {}).get("data") or {}).get(TOKEN, "")
        query = f"?{TOKEN}={token}" if token else ""
        _forward(key.name, namespace, pods[0], port, query, no_browser=no_browser)
    report = read_any_report(cluster, body)
    file = Path(tempfile.mkdtemp(prefix="solrbench-")) / f"{key.name}.html"
    file.write_text(write_report(report, "html"), "utf-8")
    click.echo(f"Report of {key.name}: {file.as_uri()}")
    if not no_browser:
        click.launch(file.as_uri())


def _forward(  # noqa: PLR0913 - what is forwarded, and where to
    name: str, namespace: str, pod: str, port: int, query: str, *, no_browser: bool
) -> NoReturn:
    """Forward the port until Ctrl-C, then exit with kubectl's code."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        raise click.ClickException("kubectl forwards the port, and is not on the PATH; install it")
    address = f"http://127.0.0.1:{port}/{query}"
    click.echo(f"Locust's page of {name}: {address} (Ctrl-C ends it)")
    arguments = [kubectl, "-n", namespace, "port-forward", f"pod/{pod}"]
    # kubectl has its own defaults where nothing is given, which are the same.
    chosen = {option: given(option) for option in ("context", "kubeconfig")}
    arguments += [f"{port}:{WEB_PORT}", *(f"--{k}={v}" for k, v in chosen.items() if v)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as forwarding:  # noqa: S603
        assert forwarding.stdout is not None  # noqa: S101  a pipe
        # The first line says that the port is open; a browser before would find nothing.
        if forwarding.stdout.readline() and not no_browser:
            click.launch(address)
        sys.exit(forwarding.wait())
