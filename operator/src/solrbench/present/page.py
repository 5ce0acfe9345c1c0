"""What the pages of a benchmark and of a sweep show, section by section."""

from typing import Any

import yaml
from pydantic import BaseModel

from solrbench.api.v1alpha1.findings import overall_verdict
from solrbench.present.answer_tables import answers_tables
from solrbench.present.comparison_tables import baseline_table, comparison_table, trend_table
from solrbench.present.fact_tables import (
    NOT_CHECKED,
    data_facts,
    environment_tables,
    index_pods_table,
    load_facts,
    one_line_verdict,
    outcome_facts,
    target_facts,
    verdict_lines,
)
from solrbench.present.indexing import indexing_figure, indexing_table
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
from solrbench.present.page_sections import distribution_of_steps, step_sections
from solrbench.present.report import Report
from solrbench.present.result_tables import overview_table
from solrbench.present.server_tables import failure_table, slow_table
from solrbench.present.sweeps.benchmark_tables import (
    cold_start_table,
    index_pods_of_points,
    waits_table,
)
from solrbench.present.sweeps.difference_figures import difference_figure, round_figure
from solrbench.present.sweeps.difference_tables import differences_table, page_answers
from solrbench.present.sweeps.figures import axis_figures, heat_maps
from solrbench.present.sweeps.point_tables import (
    capacity_table,
    condition_tables,
    index_table,
    steps_table,
    trends_table,
)
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.sizing import costs_table, frontier_figure
from solrbench.present.sweeps.step_figures import step_figures
from solrbench.present.sweeps.tables import (
    best_facts,
    bottlenecks_table,
    failures_table,
    objectives_table,
    points_table,
    sweep_facts,
)
from solrbench.present.visibility_table import visibility_table
from solrbench.present.window_tables import outlier_table, steadiness_table


def build_page(report: Report) -> dict[str, Any]:
    """Return what `page.html.j2` shows; what has nothing to show is empty or None."""
    benchmark, status, documents = report.as_benchmark, report.status, report.steps
    verdicts, environment = status.verdicts, report.environment
    lines = verdict_lines(verdicts)
    outcome = outcome_facts(benchmark)
    distribution = distribution_of_steps(documents)
    beside = [] if status.comparison is None else [baseline_table(status.comparison)]
    windows = trend_table(status.trends), steadiness_table(documents), outlier_table(documents)
    verdict = one_line_verdict(verdicts)
    if verdict == "Valid":
        number = len(verdicts)
        verdict = f"All {number} steps are Valid" if number > 1 else "The step is Valid"
    return {
        "title": report.benchmark,
        "phase": status.phase,
        "outcome": outcome.pop("Outcome", ""),
        "verdict": overall_verdict(verdicts),
        "verdict_text": verdict,
        "answers": status.answers,
        "objectives": objective_table(status),
        "limits": [limit_line for limit_line in limit_lines(status) if limit_line[0] != OBJECTIVES],
        "trials": trial_tables(status),
        "reasons": [line for line in lines if not line.startswith(NOT_CHECKED)],
        "unchecked": [line for line in lines if line.startswith(NOT_CHECKED)],
        "facts": [
            ("Target", target_facts(benchmark)),
            ("Data", data_facts(benchmark)),
            ("Load", load_facts(benchmark) | {"Steps": str(len(report.spec.load.steps))}),
            ("Time", {name: outcome[name] for name in ("Started", "Finished") if name in outcome}),
        ],
        "overview": overview_table(report.spec, status),
        "figures": [
            *load_curves(report.spec, status),
            *capacity_curves(status),
            *([distribution] if distribution is not None else []),
        ],
        "comparisons": [table for table in (*beside, comparison_table(status)) if table],
        "indexing": indexing_table(status.dataset),
        "indexing_figure": indexing_figure(status.dataset),
        "visibility": visibility_table(status.visibility),
        "answer_tables": answers_tables(status.answer_comparisons, report.answers),
        "steps": step_sections(report.spec, status, documents),
        "cold_start": cold_start_curve(documents),
        "failures": failure_table(documents),
        "evidence": list(report.evidence),
        "waits": [table for table in (user_table(documents), stall_table(documents)) if table],
        "slow": slow_table(documents),
        "windows": [table for table in windows if table],
        "environment": [
            *filter(None, [index_pods_table(status.dataset)]),
            *environment_tables(environment, documents),
        ],
        "differences": environment.differences if environment is not None else (),
        "spec": _yaml("SolrBenchmark", report.benchmark, report.spec),
        "spec_hash": environment.spec_hash if environment is not None else "",
    }


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


def build_sweep_page(report: SweepReport) -> dict[str, Any]:
    """Return what `sweep.html.j2` shows; what has nothing to show is empty or None."""
    named = sweep_facts(report)
    times = {name: named.pop(name) for name in _TIMES if name in named}
    outcome = named.pop("Outcome", "")
    phase = named.pop("Phase")
    beside = [frontier_figure(report), difference_figure(report), round_figure(report)]
    return {
        "title": report.sweep,
        "phase": phase,
        "is_good": {"Succeeded": True, "Failed": False}.get(phase),  # None before the end
        "outcome": outcome,
        "answers": page_answers(report),
        "facts": [("Best point", best_facts(report)), ("Sweep", named), ("Time", times)],
        "figures": [
            *(each for each in beside if each is not None),
            *step_figures(report),
            *axis_figures(report),
            *heat_maps(report),
        ],
        "costs": costs_table(report),
        "conditions": condition_tables(report),
        "points": points_table(report),
        "answer_tables": answers_tables(report.status.answer_comparisons, report.answers),
        "measured": [
            table
            for table in (
                capacity_table(report),
                differences_table(report),
                steps_table(report),
                index_table(report),
            )
            if table
        ],
        "benchmarks": [
            table
            for table in (
                cold_start_table(report),
                index_pods_of_points(report),
                waits_table(report),
            )
            if table
        ],
        "trends": trends_table(report),
        "objectives": objectives_table(report),
        "bottlenecks": bottlenecks_table(report),
        "failures": failures_table(report),
        "environment": environment_tables(report.environment, ()),
        "environment_of": report.environment_of or "",
        "spec": _yaml("SolrBenchmarkSweep", report.sweep, report.spec),
    }
