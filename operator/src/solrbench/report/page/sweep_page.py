"""What the page of a sweep shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from solrbench.report.figures.figure import Figure
from solrbench.report.figures.sweep.axis_lines import axis_figures
from solrbench.report.figures.sweep.differences import difference_figure
from solrbench.report.figures.sweep.heat_map import heat_maps
from solrbench.report.figures.sweep.rounds import round_figure
from solrbench.report.page.cells import HtmlTable, html_table
from solrbench.report.sweep.model import SweepReport
from solrbench.report.sweep.tables import (
    best_facts,
    bottlenecks_table,
    facts,
    failures_table,
    objectives_sentence,
    objectives_table,
    points_table,
)
from solrbench.results.text.tables.environment_tables import environment_tables
from solrbench.results.text.tables.table import Table

_TIMES = ("Started", "Finished")


@dataclass(frozen=True)
class SweepPage:
    """Data of the template; what has nothing to show is empty or None.

    Attributes:
        title: namespace and name
        phase: of the sweep
        is_good: whether all points succeeded; None before the end
        outcome: message of its end
        answers: sentences on what each axis shows
        facts: groups of names and texts
        figures: differences, rounds, lines, heat maps
        points: every point
        objectives: whether they are met, by point
        bottlenecks: what held each step back, by point
        failures: what failed, by point
        environment: nodes, pods, images, seeds of one point
        environment_of: that point
        spec: as YAML

    """

    title: str
    phase: str
    is_good: bool | None
    outcome: str
    answers: Sequence[str]
    facts: Sequence[tuple[str, dict[str, str]]]
    figures: Sequence[Figure]
    points: HtmlTable | None
    objectives: HtmlTable | None
    bottlenecks: HtmlTable | None
    failures: HtmlTable | None
    environment: Sequence[HtmlTable]
    environment_of: str
    spec: str


def build_sweep_page(report: SweepReport) -> SweepPage:
    """Return what the page of a sweep shows."""
    named, sentence = facts(report), objectives_sentence(report)
    times = {name: named.pop(name) for name in _TIMES if name in named}
    outcome = named.pop("Outcome", "")
    phase = named.pop("Phase")
    beside = [difference_figure(report), round_figure(report)]
    return SweepPage(
        title=report.sweep,
        phase=phase,
        is_good={"Succeeded": True, "Failed": False}.get(phase),
        outcome=outcome,
        answers=[*report.status.answers, *([sentence] if sentence else [])],
        facts=[("Best point", best_facts(report)), ("Sweep", named), ("Time", times)],
        figures=[
            *(each for each in beside if each is not None),
            *axis_figures(report),
            *heat_maps(report),
        ],
        points=_shown(points_table(report)),
        objectives=_shown(objectives_table(report)),
        bottlenecks=_shown(bottlenecks_table(report)),
        failures=_shown(failures_table(report)),
        environment=[html_table(each) for each in environment_tables(report.environment, ())],
        environment_of=report.environment_of or "",
        spec=_yaml(report),
    )


def _shown(table: Table) -> HtmlTable | None:
    return html_table(table) if table.rows else None


def _yaml(report: SweepReport) -> str:
    """Return the resource as it can be applied again."""
    namespace, _, name = report.sweep.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": name, "namespace": namespace},
        "spec": report.spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)
