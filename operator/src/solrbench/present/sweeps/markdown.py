"""The report of a sweep as GitHub's Markdown."""

from solrbench.present.markdown import (
    answers_to_markdown,
    environment_section,
    join_fitting,
    table_section,
)
from solrbench.present.sweeps.benchmark_tables import (
    cold_start_table,
    index_pods_of_points,
    waits_table,
)
from solrbench.present.sweeps.difference_tables import differences_table, page_answers
from solrbench.present.sweeps.point_tables import (
    capacity_table,
    condition_tables,
    index_table,
    steps_table,
    trends_table,
)
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.sizing import costs_table
from solrbench.present.sweeps.tables import (
    best_facts,
    bottlenecks_table,
    failures_table,
    objectives_table,
    points_table,
    rounds_table,
    sweep_facts,
)
from solrbench.present.table import markdown_facts, markdown_list


def sweep_to_markdown(report: SweepReport) -> str:
    """Return answers first, then the points, then details, as many as fit."""
    answers = page_answers(report)
    first = [
        f"# {report.sweep}",
        *(["## Answers", markdown_list(answers)] if answers else []),
        markdown_facts(best_facts(report) | sweep_facts(report)),
        *table_section("## Costs", costs_table(report)),
        *(
            part
            for table in condition_tables(report)
            for part in table_section(f"## {table.caption}", table)
        ),
        *table_section("## Points", points_table(report)),
        *table_section("## Capacity", capacity_table(report)),
    ]
    details = [
        *answers_to_markdown(report.status.answer_comparisons, report.answers),
        *table_section("## Steps beside the baseline", differences_table(report)),
        *table_section("## Steps", steps_table(report)),
        *table_section("## Index", index_table(report)),
        *table_section("## Index pods", index_pods_of_points(report)),
        *table_section("## Cold start", cold_start_table(report)),
        *table_section("## Longest waits", waits_table(report)),
        *table_section("## Trends", trends_table(report)),
        *table_section("## Rounds", rounds_table(report)),
        *table_section("## Failures", failures_table(report)),
        *table_section("## Objectives", objectives_table(report)),
        *table_section("## Bottlenecks", bottlenecks_table(report)),
        *environment_section(f"## Environment of {report.environment_of}", report.environment, ()),
    ]
    return join_fitting(first, details)
