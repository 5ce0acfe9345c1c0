"""A small good sweep, and its plan."""

import copy
from typing import Any

from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepEstimate, SweepPoint, SweepStatus
from solrbench.sweep.plan import SweepPlan, make_plan
from solrbench.sweep.state import count_points
from support.resources.small_resource import Changes, change, create, resource

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
        "spec": {"template": {"spec": benchmark["spec"]}, "axes": copy.deepcopy([HEAP, NODES])},
    }
    for path, value in (changes or {}).items():
        change(body, path, value)
    return body


def parse_sweep(changes: Changes | None = None, template: Changes | None = None) -> Any:
    """Return the model of it."""
    return SolrBenchmarkSweep.parse(small_sweep(changes, template))


def plan(changes: Changes | None = None, template: Changes | None = None) -> SweepPlan:
    """Return the plan of it."""
    return make_plan(parse_sweep(changes, template))


def measured_sweep() -> SolrBenchmarkSweep:
    """Return it with figures of each point."""
    points = [
        SweepPoint(
            name=each.point.name,
            values=each.point.indexes,
            state="Valid",
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
    status = SweepStatus(points=points, counts=count_points(points), estimate=estimate)
    sweep: SolrBenchmarkSweep = parse_sweep().model_copy(update={"status": status})
    return sweep


def users_axis(number: int) -> dict[str, Any]:
    """Return an axis with so many values."""
    return {"name": "users", "field": "load.steps[0].users", "values": list(range(1, number + 1))}


def sweep_of(users: int, **spec: Any) -> dict[str, Any]:
    """Return a sweep of so many points over an existing target."""
    changes = {"spec.axes": [users_axis(users)]} | {f"spec.{k}": v for k, v in spec.items()}
    return small_sweep(changes, create())
