"""`solrbench compare`: two benchmarks or reports beside each other."""

import sys
from pathlib import Path

import click
import orjson
from rich.console import Console

from solrbench.api.v1alpha1.comparison import PrimaryMetric
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.word import Word
from solrbench.cli.files import parse_stored
from solrbench.cli.options import as_cli_errors, cluster_options, open_cluster, output_option
from solrbench.cli.program import examples
from solrbench.cli.terminal.table_printing import print_line
from solrbench.cli.terminal.tables import print_baseline_table
from solrbench.cluster.client import BENCHMARKS
from solrbench.cluster.stored_results import sorted_documents
from solrbench.results.answers.comparison import baseline_sentences, loads_as_text
from solrbench.results.comparison.baseline import primary_words, whole_comparison
from solrbench.results.comparison.question import question_about
from solrbench.results.comparison.side import (
    Side,
    UnreadableReportError,
    benchmark_side,
    report_side,
)
from solrbench.results.comparison.sides import SideComparison, compare_sides
from solrbench.results.text.baseline_text import comparison_to_csv, comparison_to_markdown
from solrbench.results.trends.differences import trend_difference_sentences

EXIT_FOUND = 5
"""Exit code if a step has a word of `--fail-on`."""

_REPORT_FILES = ("report.json", "report.json.gz")
"""Files of a folder that are looked for, the first one that is there."""

_INVALID, _NO_WORD = "invalid", "no-word"
_WORDS = {"worse": Word.WORSE, "unclear": Word.UNCLEAR}
_FAILING = (*_WORDS, _INVALID, _NO_WORD)


@click.command(
    epilog=examples(
        "solrbench compare before after",
        "solrbench compare main.json branch.json --fail-on worse -o markdown",
    )
)
@click.argument("before")
@click.argument("after")
@output_option(
    "table",
    "markdown",
    "csv",
    "json",
    text="Form of the comparison; csv and json have raw numbers.",
)
@click.option(
    "--smallest-effect-percent",
    type=click.FloatRange(0.1, 100),
    help=(
        "The smallest difference that matters; figures that differ by less are the Same"
        " (default: that of AFTER's spec, 5)."
    ),
)
@click.option(
    "--primary",
    type=click.Choice([each.value for each in PrimaryMetric], case_sensitive=False),
    help=(
        "The figure of all requests of a step that decides about it (default: that of AFTER's"
        " spec, P95)."
    ),
)
@click.option(
    "--fail-on",
    type=click.Choice(_FAILING),
    multiple=True,
    help=f"Exit with code {EXIT_FOUND} if a step is so; may be given several times.",
)
@cluster_options
def compare(  # noqa: PLR0913, PLR0917  one argument for each option
    before: str,
    after: str,
    output: str,
    smallest_effect_percent: float | None,
    primary: str | None,
    fail_on: tuple[str, ...],
    context: str | None,
    namespace: str | None,
) -> None:
    """Compare AFTER with BEFORE.

    Each is a report (a file that `solrbench report NAME -o json` wrote, packed by gzip or not, or a
    folder with report.json), or the name of a benchmark in the cluster.

    Exit code 0: compared, 1: not possible, 5: a step has a word of --fail-on.
    """
    with as_cli_errors():
        one, other = (_side(each, context, namespace) for each in (before, after))
    figure = None if primary is None else PrimaryMetric(primary)
    question = question_about(one.spec, other.spec, smallest_effect_percent, figure)
    found = compare_sides(one, other, question)
    shown = whole_comparison(found)
    _print(found, shown, output)
    sys.exit(EXIT_FOUND if _fails(shown, fail_on) else 0)


def _side(text: str, context: str | None, namespace: str | None) -> Side:
    """Return a report or a benchmark.

    Raises:
        click.ClickException: if it is neither.

    """
    path = Path(text)
    if not path.exists():
        return _benchmark(text, context, namespace)
    try:
        file = _report_in(path) if path.is_dir() else path
        return report_side(_name(path), file.read_bytes())
    except (UnreadableReportError, OSError) as error:
        raise click.ClickException(f"{text}: {error}") from error


def _report_in(folder: Path) -> Path:
    """Return the report in a folder.

    Raises:
        click.ClickException: if there is none.

    """
    found = [folder / name for name in _REPORT_FILES if (folder / name).is_file()]
    if not found:
        raise click.ClickException(f"{folder}: there is no {' or '.join(_REPORT_FILES)} in it")
    return found[0]


def _name(path: Path) -> str:
    name = path.resolve().name
    return name.removesuffix(".gz").removesuffix(".json")


def _benchmark(name: str, context: str | None, namespace: str | None) -> Side:
    cluster, place = open_cluster(context, namespace)
    body = cluster.get(*BENCHMARKS, place, name)
    if body is None:
        raise click.ClickException(
            f"{name} is neither a file or folder nor a SolrBenchmark in namespace {place}"
        )
    benchmark = parse_stored(body)
    return benchmark_side(name, benchmark, sorted_documents(cluster, benchmark))


def _print(found: SideComparison, shown: BaselineComparison, output: str) -> None:
    answers = [
        *baseline_sentences(shown.figures, shown.baseline, loads_as_text(_loads(found))),
        *trend_difference_sentences(shown.trends, shown.baseline),
    ]
    title = f"{found.after.name} beside {found.before.name}"
    match output:
        case "markdown":
            lines = "".join(f"- {each}\n" for each in answers)
            click.echo(f"# {title}\n\n{lines}\n{comparison_to_markdown(shown)}")
        case "csv":
            click.echo(comparison_to_csv(shown.figures), nl=False)
        case "json":
            body = shown.model_dump(mode="json", by_alias=True, exclude_none=True)
            body |= {"after": found.after.name, "answers": answers}
            click.echo(orjson.dumps(body, option=orjson.OPT_INDENT_2).decode())
        case _:
            console = Console(highlight=False)
            print_line(console, title, style="bold")
            for answer in answers:
                print_line(console, answer, indent=2)
            print_baseline_table(console, shown)


def _loads(found: SideComparison) -> dict[str, tuple[int | None, float | None]]:
    documents = found.after.documents
    return {each.step: (each.users, each.requests_per_second) for each in documents}


def _fails(shown: BaselineComparison, fail_on: tuple[str, ...]) -> bool:
    """Say whether a step has a word of `fail_on`; without a step in common there is no word."""
    decisive = primary_words(shown.figures)
    words = {each.word for each in decisive} or {None}
    return (
        any(_WORDS.get(each) in words for each in fail_on if each in _WORDS)
        or (_NO_WORD in fail_on and None in words)
        or (_INVALID in fail_on and any(each.invalid for each in decisive))
    )
