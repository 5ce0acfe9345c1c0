"""What the pages of a benchmark and of a sweep show, section by section."""

from collections.abc import Sequence
from dataclasses import dataclass

import yaml
from pydantic import BaseModel

from solrbench.api.v1alpha1.findings import StepVerdict, overall_verdict
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
    step_sections,
)
from solrbench.present.report import Report
from solrbench.present.result_tables import overview_table
from solrbench.present.server_tables import failure_table, slow_table
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
from solrbench.present.table import Table
from solrbench.present.window_tables import outlier_table, steadiness_table


@dataclass(frozen=True)
class Page:
    """What the template of a benchmark shows; what has nothing to show is empty or None."""

    title: str
    phase: str
    outcome: str
    """Reason and message of its end."""
    verdict: str
    """`Valid`, `Invalid` or empty."""
    verdict_text: str
    """The verdict as a sentence."""
    reasons: Sequence[str]
    """Why steps are Invalid."""
    unchecked: Sequence[str]
    """What could not be checked."""
    facts: Sequence[tuple[str, dict[str, str]]]
    """Groups of names and texts: what was measured."""
    answers: Sequence[str]
    objectives: Table
    limits: Sequence[tuple[str, Sequence[str]]]
    """Capacity, scalability and steps that were not run: titles and sentences."""
    trials: Sequence[Table]
    """The search for the capacity, a table for each variant."""
    overview: Table
    """All steps at a glance."""
    figures: Sequence[ReportFigure]
    """Throughput, latency and distribution over all steps."""
    comparisons: Sequence[Table]
    """Beside the baseline, and variants against the first one."""
    steps: Sequence[StepSection]
    cold_start: ReportFigure | None
    failures: Table
    evidence: Sequence[str]
    """Names of the logs and events that were kept of failures."""
    waits: Sequence[Table]
    slow: Table
    windows: Sequence[Table]
    """Trends, steadiness and outliers."""
    environment: Sequence[Table]
    differences: Sequence[str]
    """In what later attempts differ from the first."""
    spec: str
    """The resource as YAML."""
    spec_hash: str
    """Identifies what shapes the measurement."""


def build_page(report: Report) -> Page:
    """Return what the page of a report shows."""
    benchmark, status, documents = report.as_benchmark, report.status, report.steps
    verdicts, environment = status.verdicts, report.environment
    lines = verdict_lines(verdicts)
    outcome = outcome_facts(benchmark)
    distribution = distribution_of_steps(documents)
    beside = [] if status.comparison is None else [baseline_table(status.comparison)]
    return Page(
        title=report.benchmark,
        phase=status.phase,
        outcome=outcome.pop("Outcome", ""),
        verdict=overall_verdict(verdicts),
        verdict_text=_verdict_text(verdicts),
        answers=status.answers,
        objectives=objective_table(status),
        limits=[limit_line for limit_line in limit_lines(status) if limit_line[0] != OBJECTIVES],
        trials=trial_tables(status),
        reasons=[line for line in lines if not line.startswith(NOT_CHECKED)],
        unchecked=[line for line in lines if line.startswith(NOT_CHECKED)],
        facts=[
            ("Target", target_facts(benchmark)),
            ("Data", data_facts(benchmark)),
            ("Load", load_facts(benchmark) | {"Steps": str(len(report.spec.load.steps))}),
            ("Time", {name: outcome[name] for name in ("Started", "Finished") if name in outcome}),
        ],
        overview=overview_table(report.spec, status),
        figures=[
            *load_curves(report.spec, status),
            *capacity_curves(status),
            *([distribution] if distribution is not None else []),
        ],
        comparisons=_filled([*beside, comparison_table(status)]),
        steps=step_sections(report.spec, status, documents),
        cold_start=cold_start_curve(documents),
        failures=failure_table(documents),
        evidence=list(report.evidence),
        waits=_filled([user_table(documents), stall_table(documents)]),
        slow=slow_table(documents),
        windows=_filled(
            [trend_table(status.trends), steadiness_table(documents), outlier_table(documents)]
        ),
        environment=environment_tables(environment, documents),
        differences=environment.differences if environment is not None else (),
        spec=_yaml("SolrBenchmark", report.benchmark, report.spec),
        spec_hash=environment.spec_hash if environment is not None else "",
    )


def _verdict_text(verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict as a sentence; empty if there is none."""
    if not verdicts:
        return ""
    if overall_verdict(verdicts) == "Valid":
        return f"All {len(verdicts)} steps are Valid" if len(verdicts) > 1 else "The step is Valid"
    return one_line_verdict(verdicts)


def _filled(tables: Sequence[Table]) -> list[Table]:
    return [table for table in tables if table]


def _yaml(kind: str, key: str, spec: BaseModel) -> str:
    """Return a resource, whose key is namespace and name, as it can be applied again."""
    namespace, _, name = key.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)


_TIMES = ("Started", "Finished")


@dataclass(frozen=True)
class SweepPage:
    """What the template of a sweep shows; what has nothing to show is empty or None."""

    title: str
    phase: str
    is_good: bool | None
    """Whether all points succeeded; None before the end."""
    outcome: str
    """Message of its end."""
    answers: Sequence[str]
    """Sentences on what each axis shows."""
    facts: Sequence[tuple[str, dict[str, str]]]
    """Groups of names and texts."""
    figures: Sequence[ReportFigure]
    """Differences, rounds, lines and heat maps."""
    points: Table
    objectives: Table
    bottlenecks: Table
    failures: Table
    environment: Sequence[Table]
    environment_of: str
    """Name of the point that the environment is that of."""
    spec: str
    """The resource as YAML."""


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
        points=points_table(report),
        objectives=objectives_table(report),
        bottlenecks=bottlenecks_table(report),
        failures=failures_table(report),
        environment=environment_tables(report.environment, ()),
        environment_of=report.environment_of or "",
        spec=_yaml("SolrBenchmarkSweep", report.sweep, report.spec),
    )
