"""A small good resource, and the means to change it.

A change is a path with dots and the value to put there; `REMOVE` takes the field away.
"""

import copy
from typing import Any

REMOVE = object()

Changes = dict[str, Any]

SOLR = "spec.target.solrCloud"
EXISTING = "spec.target.existing"
STEP = "spec.load.steps.0"
PLANNED: Changes = {f"{STEP}.users": REMOVE, f"{STEP}.requestsPerSecond": 16}
"""Changes that make the step an open loop."""
RESTORED: Changes = {
    "spec.target.solrCloud.provisioner": "StatefulSet",
    "spec.dataset": {"backup": {"name": "nightly", "claimName": "backups"}},
    "spec.workload.queries": {"configMap": {"name": "q"}},
}
"""Changes to an index that is restored from a backup."""


def resource(changes: Changes | None = None) -> dict[str, Any]:
    """Return a small good resource with `changes`."""
    body: dict[str, Any] = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmark",
        "metadata": {"name": "base"},
        "spec": {
            "suspend": True,
            "target": {"solrCloud": {"nodes": 2, "heap": "512Mi"}},
            "dataset": {"generator": {"documents": 1000}},
            "workload": {"queries": {"generated": {}}},
            "load": {"steps": [{"name": "one", "users": 4, "durationSeconds": 10}]},
        },
    }
    for path, value in (changes or {}).items():
        change(body, path, value)
    return body


def change(body: dict[str, Any], path: str, value: Any) -> None:
    """Put `value` at `path`, making the objects above it."""
    *above, last = path.split(".")
    place: Any = body
    for part in above:
        place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
    if value is REMOVE:
        del place[last]
    elif isinstance(place, list):
        place[int(last)] = copy.deepcopy(value)
    else:
        place[last] = copy.deepcopy(value)


def create(**fields: Any) -> Changes:
    """Return the changes to an existing target with a collection of the benchmark's own."""
    return {"spec.target": {"existing": {"urls": ["http://search:8983/solr"]} | fields}}


def use(**fields: Any) -> Changes:
    """Return the changes to an existing target with a collection of the user's."""
    return {
        **create(collectionPolicy="UseExisting", collectionName="books", **fields),
        "spec.dataset": REMOVE,
        "spec.workload.queries": {"configMap": {"name": "queries"}},
    }


def step(**fields: Any) -> dict[str, Any]:
    """Return a second step with `fields`."""
    return {"name": "two", "users": 4, "durationSeconds": 10} | fields


def custom_locustfile(**fields: Any) -> Changes:
    """Return the changes to a custom locustfile; a field of `REMOVE` is left out."""
    wanted = {"configMap": {"name": "mine"}} | fields
    return {
        "spec.workload.queries": REMOVE,
        "spec.workload.locustfile": {k: v for k, v in wanted.items() if v is not REMOVE},
    }
