"""A small good sweep, and its plan."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from solrbench.api.v1alpha1.comparisons import AnswerComparison
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepEstimate, SweepPoint, SweepStatus
from solrbench.sweep.decision import SweepDecision, decide_sweep
from solrbench.sweep.plan import SweepPlan, make_plan
from solrbench.sweep.state import ChildView, SweepObservation, count_points
from support.resources.small_resource import Changes, change, create, resource
from support.results.measured_points import valid_point

HEAP = {"name": "heap", "field": "target.solrCloud.heap", "values": ["512Mi", "1Gi", "2Gi"]}
NODES = {
    "name": "nodes",
    "fields": ["target.solrCloud.nodes", "collection.shards"],
    "values": [[1, 1], [2, 2]],
}
CACHES = {
    "name": "caches",
    "field": "collection.caches",
    "values": [{"name": "default"}, {"name": "small", "value": {"filter": {"size": 16}}}],
}


def small_sweep(changes: Changes | None = None, template: Changes | None = None) -> dict[str, Any]:
    """Return a small good sweep over heap and nodes."""
    benchmark = resource(template)
    del benchmark["spec"]["suspend"]
    body: dict[str, Any] = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": "trial", "namespace": "default"},
        "spec": {
            "template": {"spec": benchmark["spec"]},
            "axes": copy.deepcopy([HEAP, NODES]),
            "order": "Listed",
        },
    }
    for path, value in (changes or {}).items():
        change(body, path, value)
    return body


def parse_sweep(changes: Changes | None = None, template: Changes | None = None) -> Any:
    return SolrBenchmarkSweep.parse(small_sweep(changes, template))


def plan(changes: Changes | None = None, template: Changes | None = None) -> SweepPlan:
    return make_plan(parse_sweep(changes, template))


def measured_sweep() -> SolrBenchmarkSweep:
    """Return it with figures of each point."""
    points = [
        valid_point(
            each.point,
            requests_per_second=10,
            p95_milliseconds=20,
            failed_percent=0,
            cpu_milliseconds_per_request=1.5,
            read_bytes_per_request=4096,
            reads_per_request=1,
            index_bytes=2**20,
        )
        for each in plan().points
    ]
    estimate = SweepEstimate(remaining_seconds=60)
    answers = AnswerComparison(
        candidate="heap 1Gi", baseline="heap 512Mi", conclusion="SameAnswers", queries=9
    )
    status = SweepStatus(
        points=points, counts=count_points(points), estimate=estimate, answer_comparisons=[answers]
    )
    prices = {"perCoreHour": 0.04, "perMemoryGibibyteHour": 0.005, "currency": "EUR"}
    sweep: SolrBenchmarkSweep = parse_sweep({"spec.prices": prices}).model_copy(
        update={"status": status}
    )
    return sweep


def users_axis(number: int) -> dict[str, Any]:
    """Return an axis with so many values, which are compared as settings are."""
    values = list(range(1, number + 1))
    return {"name": "users", "field": "load.steps[0].users", "values": values, "role": "Setting"}


def sweep_of(users: int, **spec: Any) -> dict[str, Any]:
    """Return a sweep of so many points over an existing target."""
    changes = {"spec.axes": [users_axis(users)]} | {f"spec.{k}": v for k, v in spec.items()}
    return small_sweep(changes, create())


NOW = datetime(2026, 1, 1, tzinfo=UTC)
SUMMARY = {"requestsPerSecond": 123.456, "p95Milliseconds": 7.77777, "failedPercent": 0.0}
REPEATS = [
    {"target": 1, "requestsPerSecond": 123.0 + each, "p95Milliseconds": 7.8 + 0.15 * each}
    for each in (-1, 0, 1)
]
DONE = ChildView(
    is_finished=True,
    has_succeeded=True,
    reason="Succeeded",
    progress_percent=100,
    seconds=70.0,
    summary=SUMMARY | {"verdict": "Valid", "repeats": REPEATS},
    telemetry={"cpuMillisecondsPerRequest": 1.23456, "readsPerRequest": 3.0, "indexBytes": 2**30},
    suspend=False,
    cleanup="Always",
)


def observe(changes: Changes, **fields: Any) -> SweepObservation:
    sweep = parse_sweep(changes)
    given: dict[str, Any] = {"children": {}, "concurrency": 1} | fields
    return SweepObservation(sweep, make_plan(sweep), now=NOW, **given)


def again(
    seen: SweepObservation, decision: SweepDecision, children: dict[str, ChildView]
) -> SweepObservation:
    """Return the next observation, with the status as it is stored and read."""
    stored = json.loads(decision.status.model_dump_json(by_alias=True, exclude_none=True))
    status = SweepStatus.model_validate(stored)
    sweep = seen.sweep.model_copy(update={"status": status})
    return replace(seen, sweep=sweep, children=children)


def running(status: SweepStatus) -> list[SweepPoint]:
    return [each for each in status.points if each.state == "Running"]


def go_on_until(
    seen: SweepObservation,
    view: Callable[[SweepPoint], ChildView],
    is_there: Callable[[SweepStatus], bool],
) -> tuple[SweepObservation, SweepDecision]:
    """Return what is observed and decided as soon as the status is as it is wanted.

    `view` is how the benchmark of a point ends.
    """
    for _ in range(60):
        decision = decide_sweep(seen)
        if is_there(decision.status):
            return seen, decision
        seen = again(seen, decision, {each.name: view(each) for each in running(decision.status)})
    raise AssertionError(decision.status)


def run_to_end(seen: SweepObservation, view: Callable[[SweepPoint], ChildView]) -> SweepStatus:
    """Return the status of a sweep at its end."""
    return go_on_until(seen, view, lambda status: status.completion_time is not None)[1].status
