"""Parts of the page that are made of stored step runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.present.fact_tables import step_text
from solrbench.present.figure import ReportFigure
from solrbench.present.latency_figures import distribution
from solrbench.present.result_tables import step_table
from solrbench.present.server_tables import pods_table, servers_table
from solrbench.present.table import Table
from solrbench.present.time_figures import over_time
from solrbench.stats.histograms import BucketCounts, merge

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
    figures: Sequence[ReportFigure]


def step_sections(
    spec: Spec, status: Status, documents: Sequence[StepRunResult]
) -> list[StepSection]:
    """Return a section for each step that has results, in the order of the steps."""
    measured = {each.step for each in status.results}
    return [
        StepSection(
            step.name,
            f"step-{number}",
            step_text(step),
            step_table(status, step.name),
            _server_tables(step.name, status.telemetry),
            _step_figures(number, [each for each in documents if each.step == step.name]),
        )
        for number, step in enumerate(spec.load.steps, start=1)
        if step.name in measured
    ]


def _server_tables(step: str, entries: Sequence[StepTelemetry]) -> list[Table]:
    """Return what Solr and the pods did in one step."""
    # The name of the step stands above the tables, so that no row needs it.
    own = [entry for entry in entries if entry.step == step]
    return [
        replace(table.without_column("Step"), caption=f"{table.caption} in step {step}")
        for table in (servers_table(own), pods_table(own))
        if table
    ]


def distribution_of_steps(documents: Sequence[StepRunResult]) -> ReportFigure | None:
    """Return the distributions of all requests of each step and variant."""
    groups: dict[str, list[RequestResult]] = {}
    for document in documents:
        label = f"{document.step} ({document.variant})" if document.variant else document.step
        groups.setdefault(label, []).extend(
            request for request in document.requests if not request.is_transaction
        )
    times, histograms = _histograms(groups)
    return distribution("distribution", "Latency distribution of all steps", times, histograms)


def _step_figures(place: int, documents: Sequence[StepRunResult]) -> list[ReportFigure]:
    names: dict[str, list[RequestResult]] = {}
    for document in documents:
        for result in document.requests:
            label = f"{result.request} ({document.variant})" if document.variant else result.request
            names.setdefault(label, []).append(result)
    figures = []
    if len(names) > 1:
        busiest = sorted(names, key=lambda n: -sum(r.requests for r in names[n]))[:_MAX_NAMES]
        times, histograms = _histograms({name: names[name] for name in names if name in busiest})
        title = "Latency distribution by request"
        figures.append(distribution(f"step-{place}-distribution", title, times, histograms))
    for index, variant in enumerate(dict.fromkeys(each.variant for each in documents)):
        repeats = [each for each in documents if each.variant == variant]
        title = f"Over time{f', through {variant}' if variant else ''}"
        figures.append(over_time(f"step-{place}-time-{index}", title, repeats))
    return [each for each in figures if each is not None]


def _histograms(
    groups: Mapping[str, Sequence[RequestResult]],
) -> tuple[str, dict[str, BucketCounts]]:
    """Return the name of the times that users see, and their histograms by name."""
    response = {
        name: [each.response_time_histogram for each in results if each.response_time_histogram]
        for name, results in groups.items()
    }
    # Where a step has users and another a rate, only service times are known of both.
    if all(response.values()):
        return "Response time", {name: merge(stored) for name, stored in response.items()}
    return "Service time", {
        name: merge(each.service_time_histogram for each in results if each.service_time_histogram)
        for name, results in groups.items()
    }
