"""The report of a sweep as GitHub's Markdown."""

from solrbench.report.sweep.model import SweepReport
from solrbench.report.sweep.tables import (
    best_facts,
    bottlenecks_table,
    facts,
    failures_table,
    objectives_sentence,
    objectives_table,
    points_table,
    rounds_table,
)
from solrbench.results.text.markdown import escape_markdown, markdown_list
from solrbench.results.text.results_markdown import join_fitting, table_section
from solrbench.results.text.tables.environment_tables import environment_tables


def sweep_to_markdown(report: SweepReport) -> str:
    """Return answers first, then the points, then details, as many as fit."""
    sentence = objectives_sentence(report)
    answers = [*report.status.answers, *([sentence] if sentence else [])]
    named = best_facts(report) | facts(report)
    first = [f"# {report.sweep}"]
    first += ["## Answers", markdown_list(answers)] if answers else []
    first.append(
        "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in named.items())
    )
    first += table_section("## Points", points_table(report))
    details = [
        *table_section("## Rounds", rounds_table(report)),
        *table_section("## Failures", failures_table(report)),
        *table_section("## Objectives", objectives_table(report)),
        *table_section("## Bottlenecks", bottlenecks_table(report)),
        *_environment(report),
    ]
    return join_fitting(first, details)


def _environment(report: SweepReport) -> list[str]:
    tables = environment_tables(report.environment, ())
    parts = [part for each in tables for part in table_section(f"### {each.caption}", each)]
    return [f"## Environment of {report.environment_of}", *parts] if parts else []
