"""`solrbench compare`: benchmarks, sweeps and reports beside each other, in every form."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from operator import itemgetter
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from solrbench.analysis.answers import (
    ComparedAnswers,
    answer_sentences,
    answers_text,
    compare_answers,
    first_answers,
)
from solrbench.analysis.baseline import (
    ComparisonInput,
    UnreadableReportError,
    benchmark_input,
    compare_candidate,
    comparison_input_of,
    parse_report,
    primary_comparisons,
)
from solrbench.analysis.conclusions import baseline_sentences, loads_as_text
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.step_comparison import settings_of_candidate
from solrbench.analysis.step_trends import trend_difference_sentences
from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import (
    AnswerConclusion,
    BaselineComparison,
    Conclusion,
    FigureComparison,
)
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.cli.errors import CommandError
from solrbench.cli.files import REPORT_FILES, REPORT_SUFFIXES, find_report_file
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.program import ExitCode
from solrbench.cli.resources import find_resource, key_of, suggest_name
from solrbench.cli.result_tables import print_baseline_table, print_line, print_tables
from solrbench.cli.validation import parse_stored
from solrbench.contract.foreign import ForeignDataError
from solrbench.kube.result_documents import sorted_documents
from solrbench.present.comparison_tables import answers_tables, comparison_to_markdown
from solrbench.present.markdown import table_sections
from solrbench.present.report import ReportFormatError
from solrbench.present.sweeps.comparison import PRIMARY_METRICS, compare_sweeps, sweep_sentences
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.table import Column, escape_markdown, items_to_csv, markdown_list


@dataclass(frozen=True)
class ComparisonOutput:
    """Two sides beside each other: all metrics, and what they say, in sentences.

    `place` is what metrics are of: a step, or a point of a sweep.
    """

    candidate: str
    found: BaselineComparison
    answers: Sequence[str]
    place: str = "step"
    compared_answers: ComparedAnswers | None = None

    @property
    def title(self) -> str:
        """What is beside what."""
        return f"{self.candidate} compared with {self.found.baseline}"


def print_comparison(compared: ComparisonOutput, output: str) -> None:
    """Print a comparison as `table`, `markdown`, `csv` or `json`."""
    found = compared.compared_answers
    tables = [] if found is None else answers_tables([found], [found])
    match output:
        case "markdown":
            text = comparison_to_markdown(compared.found, compared.place)
            title = f"# {escape_markdown(compared.title)}"
            parts = [title, *filter(None, [markdown_list(compared.answers)]), text]
            click.echo("\n\n".join([*parts, *table_sections(tables)]))
        case "csv":
            click.echo(_to_csv(compared), nl=False)
        case "json":
            click.echo(_to_json(compared))
        case _:
            console = Console(highlight=False)
            print_line(console, compared.title, style="bold")
            for answer in compared.answers:
                print_line(console, answer, indent=2)
            print_baseline_table(console, compared.found, compared.place)
            print_tables(console, *tables)


def _to_csv(compared: ComparisonOutput) -> str:
    """Return raw numbers with a header line; the unit is in the name of each figure."""
    fields = list(FigureComparison.model_fields)
    columns = [
        Column[dict[str, object]](title, itemgetter(field))
        for title, field in zip([compared.place, *fields[1:]], fields, strict=True)
    ]
    return items_to_csv(columns, [each.model_dump(mode="json") for each in compared.found.figures])


def _to_json(compared: ComparisonOutput) -> str:
    body = plain(compared.found)
    body["figures"] = [
        {(compared.place if name == "step" else name): value for name, value in comparison.items()}
        for comparison in body["figures"]
    ]
    if compared.compared_answers is not None:
        body["answerComparison"] = plain(compared.compared_answers)
    body |= {"after": compared.candidate, "answers": list(compared.answers)}
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()


def read_comparison_input(text: str) -> ComparisonInput | SweepReport:
    """Return a benchmark as one side, or the report of a sweep, in a file, a folder or the cluster.

    It raises `CommandError` if `text` leads to none of these.
    """
    path = Path(text)
    file = find_report_file(path) if path.is_dir() else path
    if file is None and "/" in text:
        raise CommandError(f"{path}: there is no {' or '.join(REPORT_FILES)} in it")
    # A folder that is here by chance does not hide the resource of its name.
    if file is None or not (file.exists() or text.endswith(REPORT_SUFFIXES)):
        return _from_cluster(text)
    try:
        report = parse_report(file.read_bytes())
        name = path.resolve().name.removesuffix(".gz").removesuffix(".json")
        if "sweep" not in report:
            return comparison_input_of(name, report)
        return SweepReport.parse(report).model_copy(update={"sweep": name})
    except (UnreadableReportError, ReportFormatError, OSError) as error:
        raise CommandError(f"{text}: {error}") from error


def _from_cluster(text: str) -> ComparisonInput | SweepReport:
    cluster, namespace = open_cluster()
    body = find_resource(cluster, namespace, text)
    if body is None:
        raise CommandError(
            f"{text} is neither a report or its folder nor a {KIND} or {SWEEP_KIND} in namespace"
            f" {namespace}; {suggest_name(cluster, namespace, text)}"
        )
    key = key_of(body)
    if key.is_sweep:
        from solrbench.cli.sweep_report import read_sweep_report  # noqa: PLC0415  slow to import

        report = read_sweep_report(cluster, body, with_cold_starts=False)
        return report.model_copy(update={"sweep": key.name})
    benchmark = parse_stored(SolrBenchmark, body)
    runs = list(map(RunSamples, sorted_documents(cluster, benchmark)))
    return benchmark_input(key.name, benchmark, runs)


class _NumberRange(click.FloatRange):
    """Numbers between two bounds; NaN, which compares as False with both, is none of them."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a number.", param, ctx) if isnan(number) else number


_INVALID, _NO_CONCLUSION, _ANSWERS = "invalid", "no-conclusion", "answers"
_WORDS = {"worse": Conclusion.WORSE, "inconclusive": Conclusion.INCONCLUSIVE}
_FAILING = (*_WORDS, _INVALID, _NO_CONCLUSION, _ANSWERS)


@command(
    "solrbench compare before after",
    "solrbench compare main.json branch.json --fail-on worse -o markdown",
    "solrbench compare ssweep/heaps-before ssweep/heaps-after",
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
    type=_NumberRange(0.1, 100),
    help="The smallest difference that matters; figures that differ by less are the Same"
    " (default: that of AFTER's spec, 5).",
)
@click.option(
    "--primary",
    type=click.Choice([each.value for each in PrimaryMetric], case_sensitive=False),
    help="The figure of all requests of a step that decides about it (default: that of AFTER's"
    " spec, P95; of sweeps their objective).",
)
@click.option(
    "--fail-on",
    type=click.Choice(_FAILING),
    multiple=True,
    help=f"Exit with code {ExitCode.MISSED} if a step, or a point, is so; with answers, if queries"
    " are answered differently, or were not compared. May be given several times.",
)
@cluster_options
def compare(  # noqa: PLR0913, PLR0917  one argument for each option
    before: str,
    after: str,
    output: str,
    smallest_effect_percent: float | None,
    primary: str | None,
    fail_on: tuple[str, ...],
) -> None:
    """Compare AFTER with BEFORE.

    Each is a report (a file that `solrbench report NAME -o json` wrote, packed by gzip or not, or a
    folder with report.json), or the name of a benchmark or a sweep in the cluster. Two sweeps are
    compared point by point, where the values of all axes are the same.

    Exit code 0: compared, 1: not possible, 5: a step or a point has a conclusion of --fail-on.
    """
    one, other = (read_comparison_input(each) for each in (before, after))
    metric = None if primary is None else PrimaryMetric(primary)
    try:
        compared = _compare(one, other, smallest_effect_percent, metric)
    except (ForeignDataError, UnreadableReportError) as error:
        raise CommandError(f"{before} and {after}: {error}") from error
    print_comparison(compared, output)
    failed = _fails(compared.found, fail_on)
    answers = compared.compared_answers
    if _ANSWERS in fail_on:
        if isinstance(other, SweepReport):
            text = "those of two sweeps are not compared; compare the benchmarks of a point"
        elif answers is None:
            text = "both must have answers; set spec.comparison.answers and measure them again"
        else:
            text = answers_text(answers)
        if answers is None or answers.conclusion is not AnswerConclusion.SAME_ANSWERS:
            click.echo(f"--fail-on answers: {text}", err=True)
            sys.exit(ExitCode.MISSED)
    if failed and any(each.on_target for each in primary_comparisons(compared.found.figures)):
        note = "--fail-on counts conclusions on one target, too: identical ones may differ as much."
        click.echo(note, err=True)
    sys.exit(ExitCode.MISSED if failed else ExitCode.SUCCEEDED)


def _compare(
    one: ComparisonInput | SweepReport,
    other: ComparisonInput | SweepReport,
    effect_percent: float | None,
    primary: PrimaryMetric | None,
) -> ComparisonOutput:
    match one, other:
        case SweepReport(), SweepReport():
            if primary is not None and primary not in PRIMARY_METRICS:
                allowed = " or ".join(PRIMARY_METRICS)
                raise CommandError(f"--primary {primary}: points of sweeps have {allowed} only")
            sweeps = compare_sweeps(one, other, effect_percent, primary)
            return ComparisonOutput(other.sweep, sweeps, list(sweep_sentences(sweeps)), "point")
        case ComparisonInput(), ComparisonInput():
            return _compare_benchmarks(one, other, effect_percent, primary)
        case _:
            sweep = next(each.sweep for each in (one, other) if isinstance(each, SweepReport))
            name = next(each.name for each in (one, other) if isinstance(each, ComparisonInput))
            raise CommandError(
                f"{sweep} is a sweep and {name} a benchmark; compare two sweeps, or {name} with the"
                f" benchmark of a point, which `solrbench report ssweep/{sweep} -o csv` names"
            )


def _compare_benchmarks(
    baseline: ComparisonInput,
    candidate: ComparisonInput,
    effect_percent: float | None,
    primary: PrimaryMetric | None,
) -> ComparisonOutput:
    settings = settings_of_candidate(candidate.spec, baseline.benchmark, effect_percent, primary)
    comparison = compare_candidate(baseline, candidate, settings)
    loads = {
        # With its name: users who send updates are no users who search.
        each.step: (None, None) if each.batch_size else (each.users, each.requests_per_second)
        for each in (run.document for run in candidate.runs)
    }
    planned = {run.document.step for run in candidate.runs if run.document.requests_per_second}
    texts = loads_as_text(loads)
    answers = [
        *baseline_sentences(comparison.figures, comparison.baseline, texts, planned),
        *trend_difference_sentences(comparison.trends, comparison.baseline),
    ]
    before, after = (
        first_answers(run.document for run in side.runs) for side in (baseline, candidate)
    )
    found = None
    # Without answers on both sides they were not asked for.
    if before is not None and after is not None:
        found = compare_answers(before, after, baseline.name, candidate.name)
        answers = [*answer_sentences([found]), *answers]
    return ComparisonOutput(candidate.name, comparison, answers, compared_answers=found)


def _fails(shown: BaselineComparison, fail_on: tuple[str, ...]) -> bool:
    """Say whether a step has a conclusion of `fail_on`; there is none without common steps."""
    decisive = primary_comparisons(shown.figures)
    words = {each.conclusion for each in decisive} or {None}
    return (
        any(_WORDS.get(each) in words for each in fail_on if each in _WORDS)
        or (_NO_CONCLUSION in fail_on and None in words)
        or (_INVALID in fail_on and any(each.invalid for each in decisive))
    )
