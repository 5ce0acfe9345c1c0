"""Results as tables: cells for a terminal, Markdown for documents.

Rates, means and percentiles with their 95 % intervals, as a table.
"""

from collections.abc import Iterable, Sequence

from solrbench.analysis.bottleneck import bottleneck_sentences
from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.step_result import Interval, ResultColumn, StepResult
from solrbench.contract.environment import Environment
from solrbench.contract.step_document import MAX_SLOW_REQUESTS, StepRunResult
from solrbench.present.comparison_tables import (
    comparison_table,
    comparison_to_markdown,
    trend_table,
)
from solrbench.present.fact_tables import environment_tables, facts, verdict_lines, verdict_of
from solrbench.present.limit_tables import limit_lines, stall_table, trial_tables, user_table
from solrbench.present.server_tables import (
    SLOW_NOTE,
    failure_table,
    missing_lines,
    pods_table,
    servers_table,
    slow_lines,
)
from solrbench.present.table import (
    HIDEABLE,
    Row,
    TextTable,
    escape_markdown,
    format_cell,
    markdown_list,
    markdown_table,
    results_with_totals,
    table_to_markdown,
)
from solrbench.present.window_tables import windows_to_markdown
from solrbench.stats.number_format import format_number

INTERVAL_NAMES: Row = (ResultColumn.STEP, ResultColumn.VARIANT, ResultColumn.REQUEST)
"""Titles of the columns that say which row it is."""

INTERVAL_NOTE = (
    "In brackets 95 % confidence intervals, from how blocks of time differ within this"
    " measurement; (-) where the step was too short for one, (2 repeats) where two of them"
    " differ so much that it would be wider than the number."
)

_FEW = 2
"""Repeats whose difference says next to nothing of a third: Student's t is 12.7."""


def interval_headers(results: Iterable[StepResult]) -> Row:
    """Return the titles of the columns."""
    percents = (percent_label(percent) for percent in percents_of(results))
    return (*INTERVAL_NAMES, "Requests/s", "Average", *percents)


def interval_rows(results: Sequence[StepResult]) -> list[Row]:
    """Return the cells of every result, below `interval_headers`; empty if not measured."""
    percents = percents_of(results)
    return [_row(result, percents) for result in results]


def percents_of(results: Iterable[StepResult]) -> list[float]:
    """Return the percentiles that any result has, ascending."""
    return sorted({percentile.percent for result in results for percentile in result.percentiles})


def percent_label(percent: float) -> str:
    """Return the title of a percentile, such as P99.9."""
    return f"P{percent:g}"


def _row(result: StepResult, percents: Iterable[float]) -> Row:
    repeats = result.repeats
    rate = _cell(result.requests_per_second, result.requests_per_second_interval, repeats)
    average, interval = (
        (result.response_average_milliseconds, result.response_average_milliseconds_interval)
        if result.is_open_loop
        else (result.average_milliseconds, result.average_milliseconds_interval)
    )
    times = {
        each.percent: _time(
            each.milliseconds, each.lower_milliseconds, each.upper_milliseconds, repeats
        )
        for each in result.percentiles
    }
    mean = ""
    if average is not None:
        lower, upper = (interval.lower, interval.upper) if interval else (None, None)
        mean = _time(average, lower, upper, repeats)
    names = (result.step, result.variant or "", result.request)
    return (*names, rate, mean, *(times.get(each, "") for each in percents))


def _time(milliseconds: float, lower: float | None, upper: float | None, repeats: int) -> str:
    """Return a time with its interval and one unit: seconds if it reaches one."""
    interval = None
    if lower is not None and upper is not None:
        interval = Interval(lower=lower, upper=upper)
    shown = interval is not None and not _is_meaningless(milliseconds, interval, repeats)
    highest = interval.upper if interval is not None and shown else milliseconds
    unit, scale = ("s", 1000.0) if highest >= 1000 else ("ms", 1.0)
    if interval is not None:
        interval = Interval(lower=interval.lower / scale, upper=interval.upper / scale)
    return f"{_cell(milliseconds / scale, interval, repeats)} {unit}"


def _is_meaningless(value: float, interval: Interval, repeats: int) -> bool:
    return repeats == _FEW and interval.upper - interval.lower > value


def _cell(value: float, interval: Interval | None, repeats: int) -> str:
    if interval is None:
        return f"{format_number(value)} (-)"
    if _is_meaningless(value, interval, repeats):
        return f"{format_number(value)} ({repeats} repeats)"
    lower, upper = format_number(interval.lower), format_number(interval.upper)
    return f"{format_number(value)} ({lower}-{upper})"


MAX_MARKDOWN_BYTES = 1_000_000
"""What a summary of GitHub Actions may have is 1 MiB."""

OMITTED = "*What follows is left out, as it would not fit; the report as JSON or HTML has it.*"

HEADERS: Row = tuple(ResultColumn)
"""Titles of the columns."""


def rows(results: Iterable[StepResult], verdicts: Sequence[StepVerdict] = ()) -> list[Row]:
    """Return the cells of every result below `HEADERS`, with units; empty if not measured."""
    return [
        tuple(
            format_verdict(result, verdicts)
            if column is ResultColumn.VERDICT
            else format_cell(result, column)
            for column in ResultColumn
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


def format_verdict(result: StepResult, verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict on the step of a result; empty if it has none."""
    verdict = verdict_of(result, verdicts)
    return "" if verdict is None else verdict.verdict


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
        *table_section("## Longest waits", stall_table(documents)),
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
        part
        for trial_table in trial_tables(status)
        for part in table_section(f"### {trial_table.caption}", trial_table)
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
        comparison = status.comparison
        parts += [f"## Beside {comparison.baseline}", comparison_to_markdown(comparison)]
    parts += table_section("## Comparison", comparison_table(status))
    return parts + table_section("## Failures", failure_table(documents))


def table_section(title: str, table: TextTable) -> list[str]:
    """Return a table with its title and note; nothing without rows."""
    if not table.rows:
        return []
    return [title, table_to_markdown(table), *([table.note] if table.note else [])]


def _slow(documents: Sequence[StepRunResult]) -> list[str]:
    lines = slow_lines(documents, MAX_SLOW_REQUESTS)
    return ["## Slowest requests", markdown_list(lines), SLOW_NOTE] if lines else []


def _environment(environment: Environment | None, documents: Sequence[StepRunResult]) -> list[str]:
    tables = environment_tables(environment, documents)
    parts = [part for table in tables for part in table_section(f"### {table.caption}", table)]
    return ["## Environment", *parts] if parts else []


def join_fitting(first: Sequence[str], details: Sequence[str]) -> str:
    """Return the parts that fit, those of the details from the first one on."""
    room = MAX_MARKDOWN_BYTES - len(OMITTED.encode()) - 2
    kept: list[str] = []
    for part in [*first, *details]:
        room -= len(part.encode()) + 2
        if room < 0:
            return "\n\n".join([*kept, OMITTED]) + "\n"
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
        i
        for i, title in enumerate(head)
        if title != ResultColumn.VARIANT or any(r[i] for r in cells)
    ]
    rule = tuple("---" if title in INTERVAL_NAMES else "--:" for title in head)
    lines = [[line[i] for i in shown] for line in (head, rule, *cells)]
    return ["## Intervals", markdown_table(lines), INTERVAL_NOTE]


def to_markdown_table(table: Sequence[Row]) -> str:
    """Return `table` below `HEADERS` as Markdown, without columns of `HIDEABLE` that are empty."""
    left_out = {
        i
        for i, column in enumerate(ResultColumn)
        if column in HIDEABLE and not any(r[i] for r in table)
    }
    shown = [i for i in range(len(HEADERS)) if i not in left_out]
    rule = tuple("--:" if column.is_number else "---" for column in ResultColumn)
    return markdown_table([[line[i] for i in shown] for line in (HEADERS, rule, *table)])


def _bullets(found: dict[str, str]) -> str:
    return "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in found.items())
