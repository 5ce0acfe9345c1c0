"""Parts of the page that are made of stored step runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.step_document import (
    MAX_SLOW_REQUESTS,
    RequestResult,
    SlowRequest,
    StepRunResult,
)
from solrbench.present.fact_tables import step_text
from solrbench.present.figure import ReportFigure
from solrbench.present.latency_figures import distribution
from solrbench.present.page_tables import HtmlTable, html_table, step_table
from solrbench.present.server_tables import pods_table, servers_table
from solrbench.present.table import TextTable
from solrbench.present.time_figures import over_time
from solrbench.stats.histograms import BucketCounts, merge
from solrbench.stats.number_format import format_milliseconds

_MAX_NAMES = 8
"""Request names whose distributions are drawn; more lines cannot be distinguished."""


@dataclass(frozen=True)
class StepSection:
    """One step: its load, its table, its figures."""

    name: str
    anchor: str
    load: str
    table: HtmlTable
    servers: Sequence[HtmlTable]
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


def _server_tables(step: str, entries: Sequence[StepTelemetry]) -> list[HtmlTable]:
    """Return what Solr and the pods did in one step; its name stands above, not in each row."""
    own = [entry for entry in entries if entry.step == step]
    return [
        html_table(
            replace(
                table,
                caption=f"{table.caption} in step {step}",
                head=table.head[1:],
                rows=[row[1:] for row in table.rows],
                names=table.names - 1,
            )
        )
        for table in (servers_table(own), pods_table(own))
        if table.rows
    ]


def distribution_of_steps(documents: Sequence[StepRunResult]) -> ReportFigure | None:
    """Return the distributions of all requests of each step and variant."""
    groups: dict[str, list[RequestResult]] = {}
    for document in documents:
        label = f"{document.step} ({document.variant})" if document.variant else document.step
        groups.setdefault(label, []).extend(_requests(document))
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


def _requests(document: StepRunResult) -> Iterable[RequestResult]:
    return (request for request in document.requests if not request.is_transaction)


def _histograms(
    groups: Mapping[str, Sequence[RequestResult]],
) -> tuple[str, dict[str, BucketCounts]]:
    """Return the name of the times that users see, and their histograms by name."""
    response = {
        name: [each.response_time_histogram for each in results if each.response_time_histogram]
        for name, results in groups.items()
    }
    if all(response.values()):
        return "Response time", {name: merge(stored) for name, stored in response.items()}
    return "Service time", {
        name: merge(each.service_time_histogram for each in results if each.service_time_histogram)
        for name, results in groups.items()
    }


_SLOW_HEAD = (
    "Request",
    "Service time",
    "QTime",
    "Failure",
    "Step",
    "Variant",
    "Repeat",
    "Second",
    "Node",
    "Query",
)
_SLOW_TEXTS = frozenset({"Failure", "Step", "Variant", "Node", "Query"})
_SLOW_NOTE = (
    "QTime is what Solr reports; the rest is waiting, transfer and reading. Second: since the step"
    " began to be measured."
)


def slow_table(documents: Iterable[StepRunResult]) -> TextTable:
    """Return the slowest requests of each name, the slowest first."""
    by_name: dict[str, list[tuple[StepRunResult, SlowRequest]]] = {}
    for document in documents:
        for result in document.requests:
            slow = [(document, slow_request) for slow_request in result.slow_requests]
            by_name.setdefault(result.request, []).extend(slow)
    rows = [
        _slow_row(name, document, slow)
        for name, pairs in sorted(by_name.items())
        for document, slow in sorted(pairs, key=lambda p: -p[1].service_time_microseconds)[
            :MAX_SLOW_REQUESTS
        ]
    ]
    table = TextTable("Slowest requests", _SLOW_HEAD, rows, 1, _SLOW_TEXTS, _SLOW_NOTE)
    return table.without_empty_columns()


def _slow_row(name: str, document: StepRunResult, slow: SlowRequest) -> tuple[str, ...]:
    qtime = slow.qtime_milliseconds
    return (
        name,
        format_milliseconds(slow.service_time_microseconds / 1000),
        "" if qtime is None else format_milliseconds(qtime),
        slow.failure or "",
        document.step,
        document.variant,
        str(document.repeat),
        f"{slow.second:.1f} s",
        slow.node or "",
        slow.query,
    )
