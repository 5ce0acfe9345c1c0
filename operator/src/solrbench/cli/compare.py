"""`solrbench compare` and its options."""

import sys

import click

from solrbench.api.v1alpha1.comparison import PrimaryMetric
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.cli.comparison.output import ComparisonOutput, print_comparison
from solrbench.cli.comparison.side_reader import read_side
from solrbench.cli.errors import CommandError
from solrbench.cli.exit_codes import ExitCode
from solrbench.cli.options import as_cli_errors, cluster_options, output_option
from solrbench.cli.program import examples
from solrbench.report.sweep.comparison import PRIMARY_METRICS, compare_sweeps, sweep_sentences
from solrbench.report.sweep.model import SweepReport
from solrbench.results.answers.comparison import baseline_sentences, loads_as_text
from solrbench.results.comparison.baseline import primary_words, whole_comparison
from solrbench.results.comparison.comparison_settings import settings_of_sides
from solrbench.results.comparison.side import Side
from solrbench.results.comparison.side_comparison import compare_sides
from solrbench.results.trends.differences import trend_difference_sentences

_INVALID, _NO_WORD = "invalid", "no-word"
_WORDS = {"worse": Word.WORSE, "unclear": Word.UNCLEAR}
_FAILING = (*_WORDS, _INVALID, _NO_WORD)


@click.command(
    epilog=examples(
        "solrbench compare before after",
        "solrbench compare main.json branch.json --fail-on worse -o markdown",
        "solrbench compare ssweep/heaps-9.8 ssweep/heaps-9.9",
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
        " spec, P95; of sweeps their objective)."
    ),
)
@click.option(
    "--fail-on",
    type=click.Choice(_FAILING),
    multiple=True,
    help=(
        f"Exit with code {ExitCode.MISSED} if a step, or a point, is so; may be given several"
        " times."
    ),
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
    folder with report.json), or the name of a benchmark or a sweep in the cluster. Two sweeps are
    compared point by point, where the values of all axes are the same.

    Exit code 0: compared, 1: not possible, 5: a step or a point has a word of --fail-on.
    """
    with as_cli_errors():
        one, other = (read_side(each, context, namespace) for each in (before, after))
    figure = None if primary is None else PrimaryMetric(primary)
    compared = _compare(one, other, smallest_effect_percent, figure)
    print_comparison(compared, output)
    sys.exit(ExitCode.MISSED if _fails(compared.found, fail_on) else ExitCode.SUCCEEDED)


def _compare(
    one: Side | SweepReport,
    other: Side | SweepReport,
    effect_percent: float | None,
    primary: PrimaryMetric | None,
) -> ComparisonOutput:
    if isinstance(one, SweepReport):
        if isinstance(other, SweepReport):
            return _compare_sweeps(one, other, effect_percent, primary)
        raise _mixed(one.sweep, other.name)
    if isinstance(other, SweepReport):
        raise _mixed(other.sweep, one.name)
    return _compare_benchmarks(one, other, effect_percent, primary)


def _mixed(sweep: str, benchmark: str) -> CommandError:
    return CommandError(
        f"{sweep} is a sweep and {benchmark} a benchmark; compare two sweeps, or {benchmark} with"
        f" the benchmark of a point, which `solrbench report ssweep/{sweep} -o csv` names"
    )


def _compare_benchmarks(
    one: Side, other: Side, effect_percent: float | None, primary: PrimaryMetric | None
) -> ComparisonOutput:
    settings = settings_of_sides(one.spec, other.spec, effect_percent, primary)
    found = whole_comparison(compare_sides(one, other, settings))
    loads = {each.step: (each.users, each.requests_per_second) for each in other.documents}
    answers = [
        *baseline_sentences(found.figures, found.baseline, loads_as_text(loads)),
        *trend_difference_sentences(found.trends, found.baseline),
    ]
    return ComparisonOutput(other.name, found, answers)


def _compare_sweeps(
    one: SweepReport,
    other: SweepReport,
    effect_percent: float | None,
    primary: PrimaryMetric | None,
) -> ComparisonOutput:
    if primary is not None and primary not in PRIMARY_METRICS:
        allowed = " or ".join(PRIMARY_METRICS)
        raise CommandError(f"--primary {primary}: points of sweeps have {allowed} only")
    found = compare_sweeps(one, other, effect_percent, primary)
    return ComparisonOutput(other.sweep, found, list(sweep_sentences(found)), place="point")


def _fails(shown: BaselineComparison, fail_on: tuple[str, ...]) -> bool:
    """Say whether a step has a word of `fail_on`; without a step in common there is no word."""
    decisive = primary_words(shown.figures)
    words = {each.word for each in decisive} or {None}
    return (
        any(_WORDS.get(each) in words for each in fail_on if each in _WORDS)
        or (_NO_WORD in fail_on and None in words)
        or (_INVALID in fail_on and any(each.invalid for each in decisive))
    )
