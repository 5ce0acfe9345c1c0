"""Reports as GitHub's Markdown: verdict and facts, or answers, then tables, then details."""

from collections.abc import Iterable, Sequence

from solrbench.analysis.bottleneck import describe_bottleneck
from solrbench.analysis.cold_start import first_step_run, is_warm
from solrbench.contract.environment import Environment
from solrbench.contract.step_document import MAX_SLOW_REQUESTS, StepRunResult
from solrbench.present.comparison_tables import (
    answers_tables,
    comparison_table,
    comparison_to_markdown,
    trend_table,
)
from solrbench.present.fact_tables import environment_tables, facts, index_pods_table, verdict_lines
from solrbench.present.indexing import indexing_table
from solrbench.present.limit_tables import limit_lines, stall_table, trial_tables, user_table
from solrbench.present.report import Report
from solrbench.present.result_tables import intervals_table, results_table, results_with_totals
from solrbench.present.server_tables import (
    SLOW_NOTE,
    failure_table,
    missing_lines,
    pods_table,
    servers_table,
    slow_lines,
)
from solrbench.present.sweeps import point_tables, tables
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.sizing import costs_table
from solrbench.present.table import (
    Table,
    escape_markdown,
    markdown_facts,
    markdown_list,
    table_to_markdown,
)
from solrbench.present.window_tables import (
    cold_start_table,
    outlier_table,
    steadiness_table,
    visibility_table,
    whole_note,
)

MAX_MARKDOWN_BYTES = 1_000_000
"""What a summary of GitHub Actions may have is 1 MiB."""

OMITTED = "*What follows is omitted, as it would not fit; the report as JSON or HTML has it.*"


def to_markdown(report: Report) -> str:
    """Return a report of one benchmark of at most `MAX_MARKDOWN_BYTES`."""
    status, documents = report.status, report.steps
    slow = slow_lines(documents, MAX_SLOW_REQUESTS)
    details = [
        *table_sections(answers_tables(status.answer_comparisons, report.answers)),
        *windows_to_markdown(documents, is_new=not is_warm(status, documents)),
        *table_sections([user_table(documents), stall_table(documents)]),
        *(["## Slowest requests", markdown_list(slow), SLOW_NOTE] if slow else []),
        *table_sections([index_pods_table(status.dataset)]),
        *environment_section("## Environment", report.environment, documents),
    ]
    return join_fitting(_first_parts(report), details)


def _first_parts(report: Report) -> list[str]:
    status, documents = report.status, report.steps
    parts = [f"# {report.benchmark}", markdown_facts(facts(report.as_benchmark))]
    parts += filter(None, [whole_note(documents)])
    if status.answers:
        parts += ["## Answers", markdown_list(status.answers)]
    for title, lines in limit_lines(status):
        parts += [f"## {title}", markdown_list(lines)]
    parts += table_sections(trial_tables(status), "###")
    results = results_with_totals(status)
    parts += table_sections([results_table(results, status.verdicts), intervals_table(results)])
    if lines := verdict_lines(status.verdicts):
        parts += ["## Verdict", markdown_list(lines)]
    found = [*filter(None, [status.dataset.bottleneck]), *status.bottlenecks]
    if found:
        parts += ["## Bottleneck", markdown_list(map(describe_bottleneck, found))]
    parts += table_sections(
        (
            indexing_table(status.dataset),
            servers_table(status.telemetry),
            pods_table(status.telemetry),
            visibility_table(status.visibility),
            trend_table(status.trends),
        )
    )
    if lines := missing_lines(status.telemetry):
        parts.append(markdown_list(lines))
    if status.comparison is not None:
        comparison = status.comparison
        parts += [f"## Beside {comparison.baseline}", comparison_to_markdown(comparison)]
    parts += table_section("## Comparison", comparison_table(status))
    return parts + table_section("## Failures", failure_table(documents))


def sweep_to_markdown(report: SweepReport) -> str:
    """Return answers first, then the points, then details, as many as fit."""
    answers = point_tables.page_answers(report)
    first = [
        f"# {report.sweep}",
        *(["## Answers", markdown_list(answers)] if answers else []),
        markdown_facts(tables.best_facts(report) | tables.sweep_facts(report)),
        *table_section("## Costs", costs_table(report)),
        *table_sections(point_tables.condition_tables(report)),
        *table_section("## Points", tables.points_table(report)),
        *table_section("## Capacity", point_tables.capacity_table(report)),
    ]
    details = [
        *table_sections(answers_tables(report.status.answer_comparisons, report.answers)),
        *table_section("## Variants", point_tables.variants_table(report)),
        *table_section("## Steps beside the baseline", point_tables.differences_table(report)),
        *table_section("## Steps", point_tables.steps_table(report)),
        *table_section("## Index", point_tables.index_table(report)),
        *table_section("## Index pods", tables.index_pods_of_points(report)),
        *table_section("## Cold start", tables.cold_starts_table(report)),
        *table_section("## Longest waits", tables.waits_table(report)),
        *table_section("## Trends", point_tables.trends_table(report)),
        *table_section("## Rounds", tables.rounds_table(report)),
        *table_section("## Failures", tables.failures_table(report)),
        *table_section("## Objectives", tables.objectives_table(report)),
        *table_section("## Bottlenecks", tables.bottlenecks_table(report)),
        *environment_section(f"## Environment of {report.environment_of}", report.environment, ()),
    ]
    return join_fitting(first, details)


def windows_to_markdown(documents: Sequence[StepRunResult], *, is_new: bool) -> list[str]:
    """Return the sections on windows; none where no step run has any.

    Where the target `is_new`, its cold start is among them.
    """
    first = first_step_run(documents)
    if first is None:
        return []
    steadiness = steadiness_table(documents)
    return [
        # Without rows, too: its note says what would be there.
        *("## Steadiness", table_to_markdown(steadiness), steadiness.note),
        *(table_section("## Cold start", cold_start_table(first)) if is_new else []),
        *table_section("## Outliers", outlier_table(documents)),
    ]


def environment_section(
    title: str, environment: Environment | None, documents: Sequence[StepRunResult]
) -> list[str]:
    """Return the tables on what was measured on, below a common title."""
    parts = table_sections(environment_tables(environment, documents), "###")
    return [title, *parts] if parts else []


def table_sections(found: Iterable[Table], level: str = "##") -> list[str]:
    """Return each table below its caption; nothing of those without rows."""
    titled = ((f"{level} {escape_markdown(each.caption)}", each) for each in found)
    return [part for each in titled for part in table_section(*each)]


def table_section(title: str, table: Table) -> list[str]:
    """Return a table with its title and note; nothing without rows."""
    # A note may quote what a target has said.
    note = escape_markdown(table.note)
    return [title, table_to_markdown(table), *filter(None, [note])] if table else []


def join_fitting(first: Sequence[str], details: Sequence[str]) -> str:
    """Return the parts that fit, those of the details from the first one on."""
    # The limit is one of bytes: a query may have letters of several.
    room = MAX_MARKDOWN_BYTES - len(OMITTED.encode()) - 2
    kept: list[str] = []
    for part in [*first, *details]:
        room -= len(part.encode()) + 2
        if room < 0:
            return "\n\n".join([*kept, OMITTED]) + "\n"
        kept.append(part)
    return "\n\n".join(kept) + "\n"
