"""What the pages of a benchmark and of a sweep show, section by section."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml
from pydantic import BaseModel

from solrbench.analysis.cold_start import is_warm
from solrbench.analysis.samples import RequestSamples
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import INVALID, VALID, overall_verdict
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.present.comparison_tables import (
    answers_tables,
    baseline_table,
    comparison_table,
    trend_table,
)
from solrbench.present.fact_tables import (
    data_facts,
    environment_tables,
    gap_lines,
    index_pods_table,
    load_facts,
    one_line_verdict,
    outcome_facts,
    reason_lines,
    step_label,
    step_text,
    target_facts,
)
from solrbench.present.figure import ReportFigure
from solrbench.present.indexing import indexing_figure, indexing_table
from solrbench.present.latency_figures import cold_start_curve, distribution
from solrbench.present.limit_tables import (
    OBJECTIVES,
    limit_lines,
    objective_table,
    stall_table,
    trial_tables,
    user_table,
)
from solrbench.present.load_figures import capacity_curves, load_curves
from solrbench.present.report import Report
from solrbench.present.result_tables import overview_table, results_with_totals, step_table
from solrbench.present.server_tables import (
    failure_table,
    missing_lines,
    pods_table,
    servers_table,
    slow_table,
)
from solrbench.present.sweeps import point_tables, tables
from solrbench.present.sweeps.difference_figures import (
    difference_figure,
    round_figure,
    step_figures,
)
from solrbench.present.sweeps.figures import axis_figures, cold_start_figures, heat_maps
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.sizing import costs_table, frontier_figure
from solrbench.present.table import Table
from solrbench.present.time_figures import over_time
from solrbench.present.window_tables import (
    outlier_table,
    steadiness_table,
    visibility_table,
    whole_note,
)

_MAX_NAMES = 8
"""Request names whose distributions are drawn; more lines cannot be distinguished."""


@dataclass(frozen=True)
class StepSection:
    """One step: its load, its table, its figures."""

    name: str
    anchor: str
    load: str
    table: Table
    servers: Sequence[Table]
    missing: Sequence[str]
    figures: Sequence[ReportFigure]


def step_sections(
    spec: Spec, status: Status, documents: Sequence[StepRunResult]
) -> list[StepSection]:
    """Return a section for each step that has results, in the order of the steps."""
    measured = {each.step for each in results_with_totals(status)}
    return [
        StepSection(
            step.name,
            f"step-{number}",
            step_text(step),
            step_table(status, step.name),
            *_servers(step.name, status.telemetry),
            _step_figures(number, [each for each in documents if each.step == step.name]),
        )
        for number, step in enumerate(spec.load.steps, start=1)
        if step.name in measured
    ]


def _servers(step: str, entries: Sequence[StepTelemetry]) -> tuple[list[Table], list[str]]:
    """Return the tables of what servers did in a step, and what could not be read of them."""
    own = [entry for entry in entries if entry.step == step]
    # The name of the step stands above the tables, so that no row needs it.
    tables = [
        replace(table.without_column("Step"), caption=f"{table.caption} in step {step}")
        for table in (servers_table(own), pods_table(own))
        if table
    ]
    return tables, missing_lines(own)


def distribution_of_steps(documents: Sequence[StepRunResult]) -> ReportFigure | None:
    """Return the distributions of all requests of each step and variant."""
    groups: dict[str, list[RequestResult]] = {}
    # Trials are no steps; and with the probe, which has users, no response times would be shown.
    for document in (each for each in documents if each.trial is None):
        groups.setdefault(step_label(document), []).extend(document.single_requests)
    return _distribution("distribution", "Latency distribution of all steps", groups)


def _step_figures(place: int, documents: Sequence[StepRunResult]) -> list[ReportFigure]:
    names: dict[str, list[RequestResult]] = {}
    for document in documents:
        for result in document.requests:
            label = f"{result.request} ({document.variant})" if document.variant else result.request
            names.setdefault(label, []).append(result)
    figures = []
    if len(names) > 1:
        busiest = sorted(names, key=lambda n: -sum(r.requests for r in names[n]))[:_MAX_NAMES]
        shown = {name: names[name] for name in names if name in busiest}
        title = "Latency distribution by request"
        figures.append(_distribution(f"step-{place}-distribution", title, shown))
    for index, variant in enumerate(dict.fromkeys(each.variant for each in documents)):
        repeats = [each for each in documents if each.variant == variant]
        title = f"Over time{f', through {variant}' if variant else ''}"
        figures.append(over_time(f"step-{place}-time-{index}", title, repeats))
    return [each for each in figures if each is not None]


def _distribution(
    name: str, title: str, groups: Mapping[str, Sequence[RequestResult]]
) -> ReportFigure | None:
    """Return the distribution of the times that users see, a line for each group."""
    merged = {
        label: RequestSamples.merged([*map(RequestSamples.of_result, results)], are_repeats=True)
        for label, results in groups.items()
    }
    # Where a step has users and another a rate, only service times are known of both.
    if all(each.is_planned for each in merged.values()):
        times = {label: each.response for label, each in merged.items()}
        return distribution(name, title, "Response time", times)
    times = {label: each.service for label, each in merged.items()}
    return distribution(name, title, "Service time", times)


def build_page(report: Report) -> dict[str, Any]:
    """Return what `page.html.j2` shows; what has nothing to show is empty or None."""
    benchmark, status, documents = report.as_benchmark, report.status, report.steps
    verdicts, environment = status.verdicts, report.environment
    overall = overall_verdict(verdicts)
    # The steps that a benchmark measured before it failed may all be Valid.
    is_bad = status.phase == "Failed" or overall == INVALID
    outcome = outcome_facts(benchmark)
    distribution = distribution_of_steps(documents)
    beside = [] if status.comparison is None else [baseline_table(status.comparison)]
    verdict = one_line_verdict(verdicts)
    if verdict == VALID:
        number, what = len(verdicts), "results" if verdicts[0].variant else "steps"
        verdict = f"All {number} {what} are Valid" if number > 1 else "The step is Valid"
    return {
        "title": report.benchmark,
        "phase": status.phase,
        "outcome": outcome.pop("Outcome", ""),
        "word": status.phase if is_bad and overall != INVALID else overall or status.phase,
        "look": "bad" if is_bad else "good" if overall == VALID else "",
        "verdict_text": verdict,
        "answers": status.answers,
        "objectives": objective_table(status),
        "limits": [limit_line for limit_line in limit_lines(status) if limit_line[0] != OBJECTIVES],
        "trials": trial_tables(status),
        "reasons": reason_lines(INVALID, verdicts),
        "unchecked": gap_lines(verdicts),
        "facts": [
            ("Target", target_facts(benchmark)),
            ("Data", data_facts(benchmark)),
            ("Load", load_facts(benchmark) | {"Steps": str(len(report.spec.load.steps))}),
            ("Time", {name: outcome[name] for name in ("Started", "Finished") if name in outcome}),
        ],
        "whole": whole_note(documents),
        "overview": overview_table(report.spec, status),
        "figures": [
            *load_curves(report.spec, status),
            *capacity_curves(status),
            *([distribution] if distribution is not None else []),
        ],
        "comparisons": _shown(*beside, comparison_table(status)),
        "indexing": indexing_table(status.dataset),
        "indexing_figure": indexing_figure(status.dataset),
        "visibility": visibility_table(status.visibility),
        "answer_tables": answers_tables(status.answer_comparisons, report.answers),
        "steps": step_sections(report.spec, status, documents),
        "cold_start": None if is_warm(status, documents) else cold_start_curve(documents),
        "failures": failure_table(documents),
        "is_measured": any(document.requests for document in documents) or bool(status.totals),
        "evidence": list(report.evidence),
        "waits": _shown(user_table(documents), stall_table(documents)),
        "slow": slow_table(documents),
        "windows": _shown(
            trend_table(status.trends), steadiness_table(documents), outlier_table(documents)
        ),
        "environment": _shown(
            index_pods_table(status.dataset), *environment_tables(environment, documents)
        ),
        "differences": environment.differences if environment is not None else (),
        "spec": _yaml("SolrBenchmark", report.benchmark, report.spec),
        "spec_hash": environment.spec_hash if environment is not None else "",
    }


def _shown(*tables: Table) -> list[Table]:
    return [table for table in tables if table]


def _yaml(kind: str, key: str, spec: BaseModel) -> str:
    """Return a resource, whose key is namespace and name, as it can be applied again."""
    namespace, _, name = key.rpartition("/")
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": plain(spec),
    }
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=100)


def build_sweep_page(report: SweepReport) -> dict[str, Any]:
    """Return what `sweep.html.j2` shows; what has nothing to show is empty or None."""
    named = tables.sweep_facts(report)
    times = {name: named.pop(name) for name in ("Started", "Finished") if name in named}
    outcome = named.pop("Outcome", "")
    phase = named.pop("Phase")
    beside = [frontier_figure(report), difference_figure(report), round_figure(report)]
    return {
        "title": report.sweep,
        "phase": phase,
        "is_good": {"Succeeded": True, "Failed": False}.get(phase),  # None before the end
        "outcome": outcome,
        "answers": point_tables.page_answers(report),
        "facts": [("Best point", tables.best_facts(report)), ("Sweep", named), ("Time", times)],
        "figures": [
            *(each for each in beside if each is not None),
            *step_figures(report),
            *axis_figures(report),
            *heat_maps(report),
            *cold_start_figures(report),
        ],
        "costs": costs_table(report),
        "conditions": point_tables.condition_tables(report),
        "points": tables.points_table(report),
        "answer_tables": answers_tables(report.status.answer_comparisons, report.answers),
        "measured": _shown(
            point_tables.capacity_table(report),
            point_tables.variants_table(report),
            point_tables.differences_table(report),
            point_tables.steps_table(report),
            point_tables.index_table(report),
        ),
        "benchmarks": _shown(
            tables.cold_starts_table(report),
            tables.index_pods_of_points(report),
            tables.waits_table(report),
        ),
        "trends": point_tables.trends_table(report),
        "objectives": tables.objectives_table(report),
        "bottlenecks": tables.bottlenecks_table(report),
        "failures": tables.failures_table(report),
        "environment": environment_tables(report.environment, ()),
        "environment_of": report.environment_of or "",
        "spec": _yaml("SolrBenchmarkSweep", report.sweep, report.spec),
    }
