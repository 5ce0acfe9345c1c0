"""A cluster in which nothing runs: pods that have succeeded, benchmarks and sweeps at their end."""

from datetime import UTC, datetime, timedelta
from typing import Any

from solrbench.analysis.step_results import merge_steps, merge_totals, summarise
from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status import ExportStatus
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepStatus
from solrbench.contract.step_runs import all_step_runs
from solrbench.decide.conditions import ALL_TYPES, EXPORTED, SUCCEEDED, SWEEP_TYPES, Conditions
from solrbench.kube.client import Cluster
from solrbench.kube.connection import KindNotServedError
from solrbench.kube.facts import store_diagnostics
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.sweep.plan import make_plan
from support.results.builders import make_document, make_result
from support.results.measured_points import valid_point

Body = dict[str, Any]
NOW = datetime(2026, 1, 2, 4, tzinfo=UTC)
ANSWER = "In step two-users, the p95 is 10 ms."


def finish_objects(cluster: Cluster) -> None:
    """Do what kubelets and the operator would have done in the end to what has no status yet."""
    for pod in cluster.list("v1", "Pod", None, {}):
        if pod["status"].get("phase") != "Succeeded":
            cluster.replace_status(pod | {"status": {"phase": "Succeeded"}})
    try:
        benchmarks, sweeps = (cluster.list(*kind, None, {}) for kind in (BENCHMARKS, SWEEPS))
    except KindNotServedError:  # not installed yet
        return
    for body in benchmarks:
        if not body.get("status"):
            cluster.replace_status(body | {"status": _measure(cluster, body)})
    for body in sweeps:
        if not body.get("status"):
            cluster.replace_status(body | {"status": _finish_sweep(body)})


def _measure(cluster: Cluster, body: Body) -> Body:
    """Store the results of all step runs, and evidence of a failure; return the status."""
    benchmark, store = SolrBenchmark.parse(body), BenchmarkResultStore(cluster)
    for place, each in enumerate(all_step_runs(benchmark.spec)):
        result = make_result([1000 * (99 + place % 3)] * 300)
        document = make_document(each.step, each.repeat, result, variant=each.variant, id=str(each))
        store.store(benchmark, document, 1)
    store_diagnostics(cluster, benchmark, "target-1-load-1.txt", "the log of a pod")
    samples, conditions = store.samples(benchmark), Conditions([], NOW, 1)
    for type_ in (*ALL_TYPES[:-1], EXPORTED):
        conditions.set(type_, "True", LifecycleReason.SUCCEEDED, "all steps are stored")
    status = Status(
        phase="Succeeded",
        start_time=NOW,
        completion_time=NOW + timedelta(minutes=9),
        results=merge_steps(samples),
        totals=merge_totals(samples),
        summary=summarise(samples),
        answers=[ANSWER],
        export=ExportStatus(location="s3://benchmarks/1/", spec_hash="0" * 64, time=NOW, files=9),
        conditions=conditions.as_list(),
    )
    return plain(status)


def _finish_sweep(body: Body) -> Body:
    """Return the status of a sweep all of whose points have the same figures."""
    sweep, conditions = SolrBenchmarkSweep.parse(body), Conditions([], NOW, 1, SWEEP_TYPES)
    conditions.set(SUCCEEDED, "True", LifecycleReason.SUCCEEDED, "all points are measured")
    figures = {"requests_per_second": 120, "p95_milliseconds": 8}
    points = [valid_point(each.point, **figures) for each in make_plan(sweep).points]
    found = {"points": points, "answers": [ANSWER], "conditions": conditions.as_list()}
    status = SweepStatus(phase="Succeeded", start_time=NOW, completion_time=NOW, **found)
    return plain(status)
