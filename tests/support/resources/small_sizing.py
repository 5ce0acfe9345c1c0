"""A small sizing over nodes, by a search and at a given rate, and how it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from solrbench.api.v1alpha1.sweep import SweepPoint, SweepStatus
from solrbench.sweep.state import ChildView
from support.resources.small_resource import Changes
from support.resources.small_sweep import DONE, observe, run_to_end

NODES = {"name": "nodes", "field": "target.solrCloud.nodes", "values": [1, 2, 3, 4]}
PRICES = {"currency": "EUR", "perCoreHour": 0.04, "perMemoryGibibyteHour": 0.005}
FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 200}}
REPEATS: Changes = {"until": "BestKnown", "min": 2, "max": 6}
SEARCH: Changes = {
    "spec.axes": [NODES],
    "spec.prices": PRICES,
    "spec.repeats": REPEATS,
    "spec.objective": {"minimise": "Cost", "subjectTo": "Objectives", "requestsPerSecond": 300},
    "spec.template.spec.load": {"capacity": {}},
    "spec.template.spec.objectives": [FAST],
    "spec.template.spec.target.solrCloud.resources": {"requests": {"cpu": "1"}},
}
UPDATES = {"name": "fast", "request": "update", "responseTime": {"maxMilliseconds": 500}}
DOCUMENTS: Changes = SEARCH | {
    "spec.objective": {"minimise": "Cost", "subjectTo": "Objectives", "documentsPerSecond": 5000},
    "spec.template.spec.load": {"capacity": {"indexing": {"batchSize": 100}}},
    "spec.template.spec.objectives": [UPDATES],
}
STEP = {"name": "given", "requestsPerSecond": 300, "durationSeconds": 60}
RATE: Changes = SEARCH | {
    "spec.objective": {"minimise": "Cost", "subjectTo": "Objectives"},
    "spec.template.spec.load": {"steps": [STEP]},
}
FAILED = replace(DONE, has_succeeded=False, reason="OOMKilled")
NOISE = (1.0, 1.02, 0.99, 1.01, 0.98, 1.0)
"""What each round of a point found, beside the truth."""


def with_capacity(result: Mapping[str, Any]) -> ChildView:
    """Return the benchmark of a search with its result."""
    return replace(DONE, summary={}, status={"capacity": [result]})


def with_objectives(results: Sequence[Mapping[str, Any]]) -> ChildView:
    """Return the benchmark of steps with the results of its objectives."""
    return replace(DONE, status={"objectives": {"results": results}})


def found(rate: float) -> ChildView:
    """Return the benchmark of a search that has found a rate."""
    return with_capacity({"requestsPerSecond": rate})


def taken(rate: float) -> ChildView:
    """Return the benchmark of a search that has found a rate of documents, in updates of 100."""
    return with_capacity({"requestsPerSecond": rate / 100, "documentsPerSecond": rate})


def measured(milliseconds: float) -> ChildView:
    """Return a benchmark at a given rate, whose limit is 200 ms."""
    return with_objectives([{"value": milliseconds, "limit": 200, "unit": "ms"}])


def invalid(child: ChildView, *reasons: str) -> ChildView:
    """Return a benchmark with an Invalid step, for these reasons."""
    given = [{"reason": reason, "message": ""} for reason in reasons]
    verdicts = [{"verdict": "Invalid", "reasons": given}]
    return replace(child, status={**child.status, "verdicts": verdicts})


def run(
    changes: Changes, figures: dict[int, float], view: Callable[[float], ChildView] = found
) -> SweepStatus:
    """Return the status of a sweep at its end; a figure of 0 is a benchmark that failed.

    `figures` has what each point measures in truth, by the place of its first value.
    """

    def end(point: SweepPoint) -> ChildView:
        figure = figures[point.values[0]] * NOISE[(point.rounds or 0) % len(NOISE)]
        return view(figure) if figure else FAILED

    return run_to_end(observe(changes), end)
