"""A small good sweep, and its plan."""

import copy
from typing import Any

from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.sweep.plan import SweepPlan, make_plan
from support.resources.small_resource import Changes, change, resource

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
    """Return a small good sweep over heap and nodes.

    Args:
        changes: to the sweep
        template: to the benchmark of its template

    """
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


def users_axis(number: int) -> dict[str, Any]:
    """Return an axis with so many values."""
    return {"name": "users", "field": "load.steps[0].users", "values": list(range(1, number + 1))}
