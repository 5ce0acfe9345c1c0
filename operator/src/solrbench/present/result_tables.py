"""Results as tables: cells for a terminal, Markdown for documents."""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status.steps.step_result import Column, StepResult
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.bottleneck.sentences import bottleneck_sentences
from solrbench.results.model.environment import Environment
from solrbench.results.model.step_result import MOST_SLOW, StepRunResult
from solrbench.results.text.baseline_text import comparison_to_markdown
from solrbench.results.text.benchmark_facts import facts
from solrbench.results.text.columns import HIDEABLE, format_cell
from solrbench.results.text.interval_table import (
    INTERVAL_NOTE,
    interval_headers,
    interval_rows,
    percents_of,
)
from solrbench.results.text.interval_table import NAMES as INTERVAL_NAMES
from solrbench.results.text.limits_text import limit_lines, trial_tables
from solrbench.results.text.markdown import escape_markdown, markdown_list, markdown_table
from solrbench.results.text.servers import missing_lines, pods_table, servers_table
from solrbench.results.text.slow_requests import SLOW_NOTE, slow_lines
from solrbench.results.text.tables.comparison_table import comparison_table
from solrbench.results.text.tables.environment_tables import environment_tables
from solrbench.results.text.tables.failure_table import failure_table
from solrbench.results.text.tables.response_gap_tables import user_table, wait_table
from solrbench.results.text.tables.table import Row, Table, table_to_markdown
from solrbench.results.text.tables.trend_table import trend_table
from solrbench.results.text.totals import results_with_totals
from solrbench.results.text.verdict_text import verdict_lines, verdict_of
from solrbench.results.text.windows_markdown import windows_to_markdown

MAX_MARKDOWN_BYTES = 1_000_000
"""What a summary of GitHub Actions may have is 1 MiB."""

LEFT_OUT = "*What follows is left out, as it would not fit; the report as JSON or HTML has it.*"

HEADERS: Row = tuple(Column)
"""Titles of the columns."""


def rows(results: Iterable[StepResult], verdicts: Sequence[StepVerdict] = ()) -> list[Row]:
    """Return the cells of every result below `HEADERS`, with units; empty if not measured."""
    return [
        tuple(
            verdict_word(result, verdicts)
            if column is Column.VERDICT
            else format_cell(result, column)
            for column in Column
        )
        for result in results
    ]


def table_note(results: Iterable[StepResult]) -> str:
    """Return what a reader has to know of the times in a table."""
    kinds = {result.is_open_loop for result in results}
    times = {
        frozenset({False}): "Times are service times",
        frozenset({True}): "Times are response times, from the intended start of each request",
    }.get(
        frozenset(kinds),
        "Times are service times; in rows with Late and Dropped response times, from the intended"
        " start of each request",
    )
    return (
        f"{times}; percentiles come from merged histograms;"
        " ± is the relative standard deviation of the repeats."
    )


def verdict_word(result: StepResult, verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict on the step of a result; empty if it has none."""
    found = verdict_of(result, verdicts)
    return "" if found is None else found.verdict


def to_markdown(
    benchmark: SolrBenchmark,
    documents: Sequence[StepRunResult] = (),
    environment: Environment | None = None,
) -> str:
    """Return a report of one benchmark: verdict and facts first, then tables, then details.

    It is GitHub's Markdown of at most `MAX_MARKDOWN_BYTES`: details that do not fit are left out.

    Args:
        benchmark: with its status
        documents: its stored step runs, which hold failures and the numbers over time
        environment: what it ran on, if that is known

    """
    first = _first_parts(benchmark, documents)
    details = [
        *windows_to_markdown(documents),
        *table_section("## Requests by user", user_table(documents)),
        *table_section("## Longest waits", wait_table(documents)),
        *_slow(documents),
        *_environment(environment, documents),
    ]
    return join_fitting(first, details)


def _first_parts(benchmark: SolrBenchmark, documents: Sequence[StepRunResult]) -> list[str]:
    status = benchmark.status
    parts = [f"# {benchmark.key}", _bullets(facts(benchmark))]
    if status.answers:
        parts += ["## Answers", markdown_list(status.answers)]
    for title, lines in limit_lines(status):
        parts += [f"## {title}", markdown_list(lines)]
    parts += [
        part for each in trial_tables(status) for part in table_section(f"### {each.caption}", each)
    ]
    if status.results:
        results = results_with_totals(status)
        parts += ["## Results", to_markdown_table(rows(results, status.verdicts))]
        parts.append(table_note(results))
        parts += _intervals(results)
        if lines := verdict_lines(status.verdicts):
            parts += ["## Verdict", markdown_list(lines)]
    parts += _servers(status)
    if status.comparison is not None:
        found = status.comparison
        parts += [f"## Beside {found.baseline}", comparison_to_markdown(found)]
    parts += table_section("## Comparison", comparison_table(status))
    return parts + table_section("## Failures", failure_table(documents))


def table_section(title: str, table: Table) -> list[str]:
    """Return a table with its title and note; nothing without rows."""
    if not table.rows:
        return []
    return [title, table_to_markdown(table), *([table.note] if table.note else [])]


def _slow(documents: Sequence[StepRunResult]) -> list[str]:
    lines = slow_lines(documents, MOST_SLOW)
    return ["## Slowest requests", markdown_list(lines), SLOW_NOTE] if lines else []


def _environment(environment: Environment | None, documents: Sequence[StepRunResult]) -> list[str]:
    tables = environment_tables(environment, documents)
    parts = [part for each in tables for part in table_section(f"### {each.caption}", each)]
    return ["## Environment", *parts] if parts else []


def join_fitting(first: Sequence[str], details: Sequence[str]) -> str:
    """Return the parts that fit, those of the details from the first one on."""
    room = MAX_MARKDOWN_BYTES - len(LEFT_OUT.encode()) - 2
    kept: list[str] = []
    for part in [*first, *details]:
        room -= len(part.encode()) + 2
        if room < 0:
            return "\n\n".join([*kept, LEFT_OUT]) + "\n"
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _servers(status: Status) -> list[str]:
    """Return the sections on what the servers did and what held each step back."""
    parts: list[str] = []
    if status.bottlenecks:
        parts += ["## Bottleneck", markdown_list(bottleneck_sentences(status.bottlenecks))]
    for table in (servers_table(status.telemetry), pods_table(status.telemetry)):
        if table.rows:
            parts += [f"## {table.caption}", table_to_markdown(table), table.note]
    if (trends := trend_table(status.trends)).rows:
        parts += ["## Trends", table_to_markdown(trends), trends.note]
    if lines := missing_lines(status.telemetry):
        parts.append(markdown_list(lines))
    return parts


def _intervals(results: Sequence[StepResult]) -> list[str]:
    """Return the section on intervals; none where results of older versions have no percentiles."""
    if not percents_of(results):
        return []
    head, cells = interval_headers(results), interval_rows(results)
    shown = [
        i for i, title in enumerate(head) if title != Column.VARIANT or any(r[i] for r in cells)
    ]
    rule = tuple("---" if title in INTERVAL_NAMES else "--:" for title in head)
    lines = [[line[i] for i in shown] for line in (head, rule, *cells)]
    return ["## Intervals", markdown_table(lines), INTERVAL_NOTE]


def to_markdown_table(table: Sequence[Row]) -> str:
    """Return `table` below `HEADERS` as Markdown, without columns of `HIDEABLE` that are empty."""
    left_out = {
        i for i, column in enumerate(Column) if column in HIDEABLE and not any(r[i] for r in table)
    }
    shown = [i for i in range(len(HEADERS)) if i not in left_out]
    rule = tuple("--:" if column.is_number else "---" for column in Column)
    return markdown_table([[line[i] for i in shown] for line in (HEADERS, rule, *table)])


def _bullets(found: dict[str, str]) -> str:
    return "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in found.items())
