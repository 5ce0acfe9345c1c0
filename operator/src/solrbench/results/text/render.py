"""Results as tables: cells for a terminal, Markdown for documents, CSV for a spreadsheet."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status.step_result import Column, StepResult
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.bottleneck.sentences import bottleneck_sentences
from solrbench.results.model.step_result import MOST_SLOW, StepRunResult
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.baseline_text import comparison_to_markdown
from solrbench.results.text.columns import HIDEABLE, format_cell
from solrbench.results.text.comparison_text import COMPARISON_NOTE, comparison_lines
from solrbench.results.text.csv_cells import csv_cells, csv_columns
from solrbench.results.text.interval_table import (
    INTERVAL_NOTE,
    interval_headers,
    interval_rows,
    percents_of,
)
from solrbench.results.text.interval_table import NAMES as INTERVAL_NAMES
from solrbench.results.text.markdown import escape_markdown, markdown_list, markdown_table
from solrbench.results.text.render_windows import windows_to_markdown
from solrbench.results.text.servers import SERVERS_NOTE, missing_lines, servers_table
from solrbench.results.text.slow_requests import SLOW_NOTE, slow_lines
from solrbench.results.text.totals import results_with_totals
from solrbench.results.text.verdict_text import verdict_lines, verdict_of

Row = tuple[str, ...]
"""The cells of one result, in the order of `HEADERS`; empty where nothing was measured."""


HEADERS: Row = tuple(Column)
"""Titles of the columns."""


def rows(results: Iterable[StepResult], verdicts: Sequence[StepVerdict] = ()) -> list[Row]:
    """Return the cells of every result, with units."""
    return [
        tuple(
            _verdict(result, verdicts) if column is Column.VERDICT else format_cell(result, column)
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


def _verdict(result: StepResult, verdicts: Sequence[StepVerdict]) -> str:
    found = verdict_of(result, verdicts)
    return "" if found is None else found.verdict


def to_csv(results: Sequence[StepResult], verdicts: Sequence[StepVerdict] = ()) -> str:
    """Return raw numbers with a header line; the unit is in each column's name.

    The last two columns are the verdict on the step and its reasons, without their numbers.
    """
    out = io.StringIO()
    fields = [*csv_columns(results), "verdict", "reasons"]
    writer = csv.DictWriter(out, fields, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for result in results:
        found = verdict_of(result, verdicts)
        reasons = " ".join(each.reason for each in found.reasons) if found else ""
        verdict = {"verdict": _verdict(result, verdicts), "reasons": reasons}
        writer.writerow(csv_cells(result) | verdict)
    return out.getvalue()


def to_markdown(benchmark: SolrBenchmark, documents: Sequence[StepRunResult] = ()) -> str:
    """Return a report of one benchmark: what it is, how it ended, and the table of results.

    `documents` are its stored step runs, which hold the numbers over time.
    """
    parts = [f"# {benchmark.key}", _bullets(_facts(benchmark))]
    if benchmark.status.answers:
        parts += ["## Answers", markdown_list(benchmark.status.answers)]
    if benchmark.status.results:
        verdicts = benchmark.status.verdicts
        results = results_with_totals(benchmark.status)
        parts += ["## Results", to_markdown_table(rows(results, verdicts))]
        parts.append(table_note(results))
        parts += _intervals(results)
        if lines := verdict_lines(verdicts):
            parts += ["## Verdict", markdown_list(lines)]
    parts += _servers(benchmark.status)
    if benchmark.status.comparison is not None:
        found = benchmark.status.comparison
        parts += [f"## Beside {found.baseline}", comparison_to_markdown(found)]
    if benchmark.status.comparisons:
        parts += ["## Comparison", markdown_list(comparison_lines(benchmark.status.comparisons))]
        parts.append(COMPARISON_NOTE)
    parts += windows_to_markdown(documents)
    if slow := slow_lines(documents, MOST_SLOW):
        parts += ["## Slowest requests", markdown_list(slow), SLOW_NOTE]
    return "\n\n".join(parts) + "\n"


def _servers(status: Status) -> list[str]:
    """Return the sections on what the servers did and what held each step back."""
    parts: list[str] = []
    if status.bottlenecks:
        parts += ["## Bottleneck", markdown_list(bottleneck_sentences(status.bottlenecks))]
    if table := servers_table(status.telemetry):
        parts += ["## Servers", markdown_table(table), SERVERS_NOTE]
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


def _facts(benchmark: SolrBenchmark) -> dict[str, str]:
    """Return what a reader has to know beside the table; what is not known is left out."""
    status, solr = benchmark.status, benchmark.spec.target.solr_cloud
    succeeded = next((c for c in status.conditions if c.type == "Succeeded"), None)
    collection = benchmark.spec.collection
    facts = {
        "Phase": status.phase,
        Column.VERDICT: status.summary.verdict,
        "Outcome": f"{succeeded.reason}: {succeeded.message}" if succeeded else "",
        "Solr": status.target.solr_version or (solr.image.reference if solr else ""),
        "Nodes": f"{solr.nodes}, heap {solr.heap} each" if solr else "",
        "ZooKeepers": str(solr.zookeeper.replicas) if solr else "",
        "Collection": f"{collection.shards} shards, {collection.replicas.total} replicas each",
        "Documents": _optional(format_number, status.dataset.documents),
        "Indexing": _rate(status.dataset.documents_per_second),
        "Index size": _optional(lambda size: f"{size:.0f} bytes", status.dataset.index_bytes),
        "Started": status.start_time.isoformat() if status.start_time else "",
        "Finished": status.completion_time.isoformat() if status.completion_time else "",
    }
    return {name: text for name, text in facts.items() if text}


def _optional(show: Callable[[float], str], value: float | None) -> str:
    return "" if value is None else show(value)


def _rate(documents_per_second: float | None) -> str:
    return _optional(lambda rate: f"{format_number(rate)} documents/s", documents_per_second)


def _bullets(facts: dict[str, str]) -> str:
    return "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in facts.items())
