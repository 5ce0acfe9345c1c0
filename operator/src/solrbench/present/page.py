"""The whole page, section by section.

What the page of a sweep shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from solrbench.api.v1alpha1.findings import StepVerdict, overall_verdict
from solrbench.api.v1alpha1.status import Status
from solrbench.present.comparison_tables import baseline_table, comparison_table, trend_table
from solrbench.present.fact_tables import (
    NOT_CHECKED,
    data_facts,
    environment_tables,
    load_facts,
    one_line_verdict,
    outcome_facts,
    target_facts,
    verdict_lines,
)
from solrbench.present.figure import ReportFigure
from solrbench.present.latency_figures import cold_start_curve
from solrbench.present.limit_tables import (
    OBJECTIVES,
    limit_lines,
    objective_table,
    stall_table,
    trial_tables,
    user_table,
)
from solrbench.present.load_figures import capacity_curves, load_curves
from solrbench.present.page_sections import (
    StepSection,
    distribution_of_steps,
    slow_table,
    step_sections,
)
from solrbench.present.page_tables import HtmlTable, html_table, overview_table
from solrbench.present.report import Report
from solrbench.present.server_tables import failure_table
from solrbench.present.sweep_difference_figures import difference_figure, round_figure
from solrbench.present.sweep_figures import axis_figures, heat_maps
from solrbench.present.sweep_report import SweepReport
from solrbench.present.sweep_tables import (
    best_facts,
    bottlenecks_table,
    failures_table,
    objectives_sentence,
    objectives_table,
    points_table,
    sweep_facts,
)
from solrbench.present.table import TextTable
from solrbench.present.window_tables import outlier_table, steadiness_table


@dataclass(frozen=True)
class Page:
    """Data of the template; what has nothing to show is empty or None.

    Attributes:
        title: namespace and name
        phase: of the benchmark
        outcome: reason and message of its end
        verdict: `Valid`, `Invalid` or empty
        verdict_text: the verdict as a sentence
        reasons: of Invalid steps
        unchecked: what could not be checked
        facts: groups of names and texts: what was measured
        answers: short sentences on what was asked
        objectives: whether they are met
        limits: capacity, scalability and steps that were not run: titles and sentences
        trials: the trials of a search for the capacity
        overview: all steps at a glance
        figures: throughput, latency and distribution over all steps
        comparisons: beside the baseline, and variants against the first one
        steps: each step
        cold_start: the first requests
        failures: by kind, with a sample
        evidence: names of the logs and events that were kept of failures
        waits: who waited, by user and node
        slow: the slowest requests
        windows: trends, steadiness and outliers
        environment: nodes, pods, images, seeds
        differences: in what later attempts differ from the first
        spec: as YAML
        spec_hash: what identifies it
    """

    title: str
    phase: str
    outcome: str
    verdict: str
    verdict_text: str
    reasons: Sequence[str]
    unchecked: Sequence[str]
    facts: Sequence[tuple[str, dict[str, str]]]
    answers: Sequence[str] = ()
    objectives: HtmlTable | None = None
    limits: Sequence[tuple[str, Sequence[str]]] = ()
    trials: Sequence[HtmlTable] = ()
    overview: HtmlTable | None = None
    figures: Sequence[ReportFigure] = ()
    comparisons: Sequence[HtmlTable] = ()
    steps: Sequence[StepSection] = ()
    cold_start: ReportFigure | None = None
    failures: HtmlTable | None = None
    evidence: Sequence[str] = ()
    waits: Sequence[HtmlTable] = ()
    slow: HtmlTable | None = None
    windows: Sequence[HtmlTable] = ()
    environment: Sequence[HtmlTable] = ()
    differences: Sequence[str] = ()
    spec: str = ""
    spec_hash: str = ""


def build_page(report: Report) -> Page:
    """Return what the page of a report shows."""
    benchmark, status, documents = report.as_benchmark, report.status, report.steps
    verdicts, environment = status.verdicts, report.environment
    lines = verdict_lines(verdicts)
    outcome = outcome_facts(benchmark)
    return Page(
        title=report.benchmark,
        phase=status.phase,
        outcome=outcome.pop("Outcome", ""),
        verdict=overall_verdict(verdicts),
        verdict_text=_verdict_text(verdicts),
        answers=status.answers,
        objectives=_shown(objective_table(status)),
        limits=[limit_line for limit_line in limit_lines(status) if limit_line[0] != OBJECTIVES],
        trials=_tables(trial_tables(status)),
        reasons=[line for line in lines if not line.startswith(NOT_CHECKED)],
        unchecked=[line for line in lines if line.startswith(NOT_CHECKED)],
        facts=[
            ("Target", target_facts(benchmark)),
            ("Data", data_facts(benchmark)),
            ("Load", _load(report)),
            ("Time", {name: outcome[name] for name in ("Started", "Finished") if name in outcome}),
        ],
        overview=overview_table(report.spec, status),
        figures=_figures(report),
        comparisons=_tables(_comparisons(status)),
        steps=step_sections(report.spec, status, documents),
        cold_start=cold_start_curve(documents),
        failures=_shown(failure_table(documents)),
        evidence=list(report.evidence),
        waits=_tables([user_table(documents), stall_table(documents)]),
        slow=_shown(slow_table(documents)),
        windows=_tables(
            [trend_table(status.trends), steadiness_table(documents), outlier_table(documents)]
        ),
        environment=_tables(environment_tables(environment, documents)),
        differences=environment.differences if environment is not None else (),
        spec=_benchmark_yaml(report),
        spec_hash=environment.spec_hash if environment is not None else "",
    )


def _load(report: Report) -> dict[str, str]:
    """Return the facts of the load; the steps are in the table of all steps."""
    facts = load_facts(report.as_benchmark)
    return facts | {"Steps": str(len(report.spec.load.steps))}


def _figures(report: Report) -> list[ReportFigure]:
    curves = [*load_curves(report.spec, report.status), *capacity_curves(report.status)]
    distribution = distribution_of_steps(report.steps)
    return [*curves, *([distribution] if distribution is not None else [])]


def _comparisons(status: Status) -> list[TextTable]:
    comparison = status.comparison
    return [
        *([baseline_table(comparison)] if comparison is not None else []),
        comparison_table(status),
    ]


def _verdict_text(verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict as a sentence; empty if there is none."""
    if not verdicts:
        return ""
    if overall_verdict(verdicts) == "Valid":
        return f"All {len(verdicts)} steps are Valid" if len(verdicts) > 1 else "The step is Valid"
    return one_line_verdict(verdicts)


def _shown(table: TextTable) -> HtmlTable | None:
    return html_table(table) if table.rows else None


def _tables(tables: Sequence[TextTable]) -> list[HtmlTable]:
    return [html_table(table) for table in tables if table.rows]


def _benchmark_yaml(report: Report) -> str:
    """Return the resource as it can be applied again."""
    namespace, _, name = report.benchmark.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmark",
        "metadata": {"name": name, "namespace": namespace},
        "spec": report.spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)


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
    figures: Sequence[ReportFigure]
    points: HtmlTable | None
    objectives: HtmlTable | None
    bottlenecks: HtmlTable | None
    failures: HtmlTable | None
    environment: Sequence[HtmlTable]
    environment_of: str
    spec: str


def build_sweep_page(report: SweepReport) -> SweepPage:
    """Return what the page of a sweep shows."""
    named, sentence = sweep_facts(report), objectives_sentence(report)
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
        spec=_sweep_yaml(report),
    )


def _sweep_yaml(report: SweepReport) -> str:
    """Return the resource as it can be applied again."""
    namespace, _, name = report.sweep.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": name, "namespace": namespace},
        "spec": report.spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)
