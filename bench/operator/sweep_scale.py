"""What a sweep of 500 points costs the operator, and itself."""

import json
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from bench.harness.processes import resident_megabytes
from bench.harness.table import Row, at_most
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.controller.sweep_handlers import RUNNING_PAUSE
from solrbench.controller.sweep_reconcile import SweepContext, reconcile_sweep
from solrbench.kube.client import Cluster
from solrbench.sweep.plan import SweepPlan, make_plan
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.state import PointState

POINT_SECONDS = 60
"""Of the benchmark of a point; most take longer, and the shares are less then."""
LOOKS = POINT_SECONDS // int(RUNNING_PAUSE.total_seconds())
AT_A_TIME, LAST = 16, 20
REPEATS = 20
"""Of each point: more than are kept of each of 500."""
Body = dict[str, Any]


class StoredObjects:
    """Objects as the API server stores them: as JSON, so that each read is a new one."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], bytes] = {}

    def get(self, version: str, kind: str, namespace: str, name: str) -> Body | None:
        """Return an object."""
        del version, namespace
        found = self._stored.get((kind, name))
        return None if found is None else cast(Body, json.loads(found))

    def __getattr__(self, name: str) -> Callable[..., Sequence[Body]]:
        """Return how to list objects: of the kinds that are listed there are none."""
        if name not in {"list", "list_metadata"}:
            raise AttributeError(name)
        return lambda *_: ()

    def apply(self, manifest: Body) -> Body:
        """Store an object."""
        place = manifest["kind"], manifest["metadata"]["name"]
        self._stored[place] = json.dumps(manifest).encode()
        return manifest

    def store_status(self, body: Body, status: Body) -> Body:
        """Store the status of an object."""
        return self.apply(body | {"status": status})

    def end(self, name: str) -> None:
        """Let a benchmark end as a Valid one."""
        body = self.get("", "SolrBenchmark", "", name)
        if body is None:
            raise ValueError(f"there is no benchmark {name}")
        summary = {"step": "one", "requestsPerSecond": 1234.56, "p95Milliseconds": 12.345}
        repeats = [{"target": 1, "p95Milliseconds": 12.34 + each / 10} for each in range(REPEATS)]
        body["status"] = {
            "conditions": [{"type": "Succeeded", "status": "True", "reason": "Succeeded"}],
            "summary": summary | {"failedPercent": 0.123, "verdict": "Valid", "repeats": repeats},
            "target": {"reuses": "Index"},
        }
        self.apply(body)


def sweep_scale(_: Path, points: int) -> list[Row]:
    """Measure a sweep of so many points without any pod: most of them side by side, then the rest.

    The last ones are measured one after another, when the status is as large as it gets.
    """
    objects = StoredObjects()
    objects.apply(_sweep(points))
    before = resident_megabytes(os.getpid())
    plan = make_plan(SolrBenchmarkSweep.parse(_sweep(points)))
    left = points
    while left > LAST:
        sweep = _reconcile(objects, plan, AT_A_TIME)
        _end_running(objects, sweep)
        left = sum(each.state == PointState.PLANNED for each in sweep.status.points)
    cpu, reconciles, longest = time.process_time(), 0, 0.0
    while sweep.status.completion_time is None:
        began = time.process_time()
        sweep = _reconcile(objects, plan, 1)
        longest = max(longest, time.process_time() - began)
        reconciles += 1
        _end_running(objects, sweep)
    each_seconds = (time.process_time() - cpu) / reconciles
    used = 100 * each_seconds * (LOOKS + 1) / POINT_SECONDS
    grown = resident_megabytes(os.getpid()) - before
    status = (objects.get("", "SolrBenchmarkSweep", "", "scale") or {})["status"]
    size = len(json.dumps(status, separators=(",", ":"))) / 1000
    what = f"a sweep of {points} points of {POINT_SECONDS} s:"
    late = f"{what} time from the end of a point to the next benchmark"
    detail = f"the longest, {longest:.2f} s of CPU"
    return [
        at_most(f"{what} status", size, 120, "{:.1f} kB"),
        at_most(f"{what} CPU of the operator", used, 5, "{:.2f} % of a core"),
        at_most(f"{what} memory of the operator", grown, 60, "{:.0f} MB more"),
        at_most(late, 100 * longest / POINT_SECONDS, 2, "{:.2f} % of a point", detail),
    ]


def _reconcile(objects: StoredObjects, plan: SweepPlan, places: int) -> SolrBenchmarkSweep:
    """Reconcile once, with so many points under way at most."""
    body = objects.get("", "SolrBenchmarkSweep", "", "scale") or {}
    sweep = SolrBenchmarkSweep.parse(body)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    cluster = cast(Cluster, objects)
    return reconcile_sweep(SweepContext(cluster, sweep, body, plan, now, concurrency=places))


def _end_running(objects: StoredObjects, sweep: SolrBenchmarkSweep) -> None:
    for each in sweep.status.points:
        if each.state == PointState.RUNNING:
            objects.end(benchmark_name(sweep.metadata.name, each.name))


def _sweep(points: int) -> Body:
    """Return a sweep over documents, as a setting, in each of many numbers of users."""
    users = max(1, points // 20)
    axes = [
        {"name": "users", "field": "load.steps[0].users", "values": list(range(1, users + 1))},
        {
            "name": "documents",
            "field": "dataset.generator.documents",
            "role": "Setting",
            "values": [1000 * each for each in range(1, points // users + 1)],
        },
    ]
    template = {
        "target": {"solrCloud": {"provisioner": "StatefulSet", "nodes": 1, "heap": "1Gi"}},
        "collection": {"replicas": {"nrt": 1}},
        "dataset": {"generator": {"seed": 1}},
        "workload": {"queries": {"generated": {"count": 200}}},
        "load": {"steps": [{"name": "one", "durationSeconds": POINT_SECONDS}]},
    }
    return {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": "scale", "namespace": "default", "uid": "1", "generation": 1},
        "spec": {
            "template": {"spec": template},
            "axes": axes,
            "design": "Full",
            "maxPoints": points,
            "parallelism": AT_A_TIME,
        },
    }
