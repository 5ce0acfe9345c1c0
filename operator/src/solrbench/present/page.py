"""The whole page, section by section."""

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.report.figures.capacity_curve import capacity_curves
from solrbench.report.figures.cold_start import cold_start_curve
from solrbench.report.figures.figure import Figure
from solrbench.report.figures.load_curve import load_curves
from solrbench.report.model import Report
from solrbench.report.page.cells import HtmlTable, html_table
from solrbench.report.page.sections import (
    StepSection,
    distribution_of_steps,
    slow_table,
    step_sections,
)
from solrbench.report.page.step_tables import overview_table
from solrbench.results.text.benchmark_facts import (
    data_facts,
    load_facts,
    outcome_facts,
    target_facts,
)
from solrbench.results.text.limits_text import OBJECTIVES, limit_lines, trial_tables
from solrbench.results.text.tables.comparison_table import baseline_table, comparison_table
from solrbench.results.text.tables.environment_tables import environment_tables
from solrbench.results.text.tables.failure_table import failure_table
from solrbench.results.text.tables.objective_table import objective_table
from solrbench.results.text.tables.response_gap_tables import user_table, wait_table
from solrbench.results.text.tables.table import Table
from solrbench.results.text.tables.trend_table import trend_table
from solrbench.results.text.verdict_text import NOT_CHECKED, one_line_verdict, verdict_lines
from solrbench.results.text.windows_markdown import outlier_table, steadiness_table
from solrbench.results.validity.overall_verdict import overall_verdict


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
    figures: Sequence[Figure] = ()
    comparisons: Sequence[HtmlTable] = ()
    steps: Sequence[StepSection] = ()
    cold_start: Figure | None = None
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
        limits=[each for each in limit_lines(status) if each[0] != OBJECTIVES],
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
        waits=_tables([user_table(documents), wait_table(documents)]),
        slow=_shown(slow_table(documents)),
        windows=_tables(
            [trend_table(status.trends), steadiness_table(documents), outlier_table(documents)]
        ),
        environment=_tables(environment_tables(environment, documents)),
        differences=environment.differences if environment is not None else (),
        spec=_yaml(report),
        spec_hash=environment.spec_hash if environment is not None else "",
    )


def _load(report: Report) -> dict[str, str]:
    """Return the facts of the load; the steps are in the table of all steps."""
    found = load_facts(report.as_benchmark)
    return found | {"Steps": str(len(report.spec.load.steps))}


def _figures(report: Report) -> list[Figure]:
    curves = [*load_curves(report.spec, report.status), *capacity_curves(report.status)]
    found = distribution_of_steps(report.steps)
    return [*curves, *([found] if found is not None else [])]


def _comparisons(status: Status) -> list[Table]:
    found = status.comparison
    return [*([baseline_table(found)] if found is not None else []), comparison_table(status)]


def _verdict_text(verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict as a sentence; empty if there is none."""
    if not verdicts:
        return ""
    if overall_verdict(verdicts) == "Valid":
        return f"All {len(verdicts)} steps are Valid" if len(verdicts) > 1 else "The step is Valid"
    return one_line_verdict(verdicts)


def _shown(table: Table) -> HtmlTable | None:
    return html_table(table) if table.rows else None


def _tables(tables: Sequence[Table]) -> list[HtmlTable]:
    return [html_table(each) for each in tables if each.rows]


def _yaml(report: Report) -> str:
    """Return the resource as it can be applied again."""
    namespace, _, name = report.benchmark.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmark",
        "metadata": {"name": name, "namespace": namespace},
        "spec": report.spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)
