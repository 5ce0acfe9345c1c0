"""Stored results of a namespace take no more of etcd than the installer allows."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.objectives import Baseline
from solrbench.controller.report_limit import drop_oldest_reports
from solrbench.errors import TemporaryError
from solrbench.kube.results import BenchmarkResultStore, read_baseline
from solrbench.manifests.results import BYTES_ANNOTATION
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.world import NOW
from support.controller.worlds import stored_conditions
from support.fakes.fake_cluster import FakeCluster, refusal
from support.fakes.operator_driver import OperatorDriver, condition

MIB = 1 << 20


def benchmark(name: str, hours: int, status: str = "True", **spec: Any) -> dict[str, Any]:
    """Return a benchmark that ended some hours ago, or goes on."""
    body = small(name, **spec)
    body["metadata"] |= {"namespace": "search", "uid": f"uid-of-{name}"}
    ended = (NOW - timedelta(hours=hours)).isoformat()
    times = {} if status == "Unknown" else {"completionTime": ended}
    return body | {"status": {"conditions": stored_conditions(Succeeded=status), **times}}


def report(name: str, number: int, size: int, step_run: str | None = "r1-s0") -> dict[str, Any]:
    """Return one ConfigMap of stored results; one without a step run is another record."""
    labels = {"app.kubernetes.io/component": "report", "solrbench.io/benchmark": name}
    owner = {"kind": "SolrBenchmark", "name": name, "uid": f"uid-of-{name}", "controller": True}
    metadata = {
        "name": f"{name}-report-{step_run}-{number}",
        "namespace": "search",
        "labels": labels | ({"solrbench.io/step-run": step_run} if step_run else {}),
        "annotations": {BYTES_ANNOTATION: str(size)},
        "ownerReferences": [owner],
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def drop(cluster: FakeCluster, mebibytes: int) -> list[str]:
    """Return the names of the benchmarks that lose their results as `new` ends."""
    dropped, _ = drop_oldest_reports(cluster, "search", mebibytes * MIB, "uid-of-new")
    assert all(f"results of {body['metadata']['name']}," in each.message for body, each in dropped)
    return [body["metadata"]["name"] for body, _ in dropped]


def reports_of(*names: str) -> list[dict[str, Any]]:
    return [report(name, number, 2 * MIB) for name in names for number in range(2)]


ENDED = [benchmark("new", 0), benchmark("old", 2, "False"), benchmark("oldest", 3)]
BASELINE = {"baseline": {"benchmark": {"name": "oldest"}}}


@pytest.mark.parametrize(
    ("mebibytes", "dropped"), [(12, []), (11, ["oldest"]), (8, ["oldest"]), (1, ["oldest", "old"])]
)
def test_the_oldest_results_go_first_and_those_of_the_last_stay(
    mebibytes: int, dropped: list[str]
) -> None:
    cluster = FakeCluster(*ENDED, *reports_of("new", "old", "oldest"))
    cluster.put(report("oldest", 0, MIB, None))
    assert drop(cluster, mebibytes) == dropped
    left = {name.partition("-")[0] for name in cluster.names("ConfigMap")}
    assert left == {"new", "old", "oldest"} - set(dropped) | {"oldest"}
    assert "oldest-report-None-0" in cluster.names("ConfigMap"), "its environment is small"


def test_what_is_needed_stays() -> None:
    exported = {"export": {"persistentVolumeClaim": {"claimName": "files"}}}
    cluster = FakeCluster(
        *ENDED,
        benchmark("waiting", 5, "Unknown", comparison=BASELINE),
        benchmark("unexported", 4, results=exported),
        *reports_of("new", "old", "oldest", "waiting", "unexported", "deleted"),
    )
    assert drop(cluster, 1) == ["old"]
    assert len(cluster.names("ConfigMap")) == 10


def sweep(status: str, **spec: Any) -> dict[str, Any]:
    """Return a sweep that is over or goes on."""
    return {
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": "trial", "namespace": "search", "uid": "uid-of-trial"},
        "spec": {"template": {"spec": spec}},
        "status": {"conditions": stored_conditions(Succeeded=status)},
    }


@pytest.mark.parametrize(("status", "kept"), [("Unknown", True), ("True", False)])
def test_points_of_a_sweep_and_its_baseline_stay_until_it_is_over(status: str, kept: bool) -> None:
    points = [benchmark(f"point-{number}", 5 + number) for number in range(2)]
    for each in points:
        owner = {"kind": "SolrBenchmarkSweep", "name": "trial", "uid": "uid-of-trial"}
        each["metadata"]["ownerReferences"] = [owner | {"controller": True}]
    cluster = FakeCluster(
        *ENDED,
        *points,
        sweep(status, comparison=BASELINE),
        *reports_of("new", "old", "oldest", "point-0", "point-1"),
    )
    assert drop(cluster, 1) == (["old"] if kept else ["point-1", "point-0", "oldest", "old"])


@pytest.mark.parametrize(
    "comparison", ["none", [], {"baseline": []}, {"baseline": {"benchmark": {"name": ["old"]}}}]
)
def test_the_template_of_a_sweep_may_be_anything(comparison: Any) -> None:
    going_on = sweep("Unknown", comparison=comparison)
    assert drop(FakeCluster(*ENDED, going_on, *reports_of("new", "old")), 4) == ["old"]


def cluster_with_large(other: dict[str, Any]) -> FakeCluster:
    """Return a cluster with a benchmark that fails at once, and another one with 80 MiB."""
    name = other["metadata"]["name"]
    bodies = [other, *(report(name, number, 40 * MIB) for number in range(2))]
    for each in bodies:
        each["metadata"]["namespace"] = "default"
    return FakeCluster(*bodies, small("one", podOptions=[{"serviceAccountName": "admin"}]))


def test_results_that_are_all_needed_are_said_to_be_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = benchmark("waiting", 5, "Unknown") | {"spec": {"suspend": True}}
    operator = OperatorDriver(cluster_with_large(waiting), monkeypatch)
    operator.reconcile("one")
    body = operator.reconcile("one")
    *_, message = condition(body, "CleanedUp")
    assert "of namespace default take 80.0 MiB of 64 MiB, and none is deleted" in message
    assert [each[1] for each in operator.events].count("ReportsTooLarge") == 1


@pytest.mark.parametrize("text", ["", "x", "-9", "\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_a_size_that_is_no_number_does_not_count(text: str) -> None:
    odd = report("old", 0, 0)
    odd["metadata"]["annotations"][BYTES_ANNOTATION] = text
    assert drop(FakeCluster(*ENDED, odd), 1) == []


def test_nothing_is_read_but_metadata_while_there_is_room() -> None:
    cluster = FakeCluster(*ENDED, *reports_of("old"))
    assert drop(cluster, 4) == []
    asked = [(each.method, each.kind) for each in cluster.requests]
    assert asked == [("list_metadata", "ConfigMap")]


@pytest.mark.parametrize("refused", [False, True])
def test_the_end_of_a_benchmark_drops_results_with_an_event(
    monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    cluster = cluster_with_large(benchmark("old", 2))
    operator = OperatorDriver(cluster, monkeypatch)
    if refused:
        error = TemporaryError(ApiServerReason.API_UNREACHABLE, "no")
        cluster.fault = refusal(error, ["delete"], ["ConfigMap"])
    assert operator.reconcile("one")["status"]["phase"] == "Failed"
    body = operator.reconcile("one")
    reason = "ApiUnreachable" if refused else "CleanupSkipped"
    assert condition(body, "CleanedUp")[:2] == ("False", reason)
    dropped = [each for each in operator.events if each[1] == "ReportDropped"]
    assert len(dropped) == int(not refused)
    assert bool(cluster.names("ConfigMap")) == refused


def test_a_baseline_that_has_lost_its_results_is_named() -> None:
    cluster = FakeCluster(benchmark("old", 2))
    baseline = Baseline(benchmark=ObjectReference(name="old"))
    with pytest.raises(TemporaryError, match="old has no stored results any more"):
        read_baseline(cluster, BenchmarkResultStore(cluster), "search", baseline)
