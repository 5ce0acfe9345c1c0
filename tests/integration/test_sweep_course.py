"""A sweep from its beginning to its deletion, against the real API server; only pods are faked."""

from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from support.cluster.benchmark_objects import own_namespace
from support.cluster.kube import wait_for
from support.cluster.renamed_kinds import RenamedKinds
from support.fakes.operator_driver import condition, sweeps_of
from support.resources.small_resource import create
from support.resources.small_sweep import small_sweep, users_axis

pytestmark = pytest.mark.cluster
Body = dict[str, Any]


def test_a_sweep_is_measured_changed_and_deleted(
    cluster: RenamedKinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_namespace("sweep") as objects:
        namespace = objects.namespace
        sweeps = sweeps_of(monkeypatch, cluster, namespace)
        body = small_sweep({"spec.axes": [users_axis(2)]}, create())
        body["metadata"]["namespace"] = namespace
        cluster.apply(body, "tests")

        for _ in range(3):
            sweeps.get_on()
        suspend(cluster, body, suspended=True)
        for _ in range(4):
            sweeps.get_on()
        assert sweeps.read()["status"]["phase"] == "Suspended"
        (child,) = sweeps.children().values()
        assert child["spec"]["suspend"] is True
        suspend(cluster, body, suspended=False)

        status = sweeps.finish()["status"]
        assert [each["state"] for each in status["points"]] == ["Inconclusive"] * 2
        assert status["answers"]
        assert condition(sweeps.read(), "Succeeded")[0] == "True"
        assert set(sweeps.workloads.started.values()) <= {1, 2}  # twice only where suspended

        cluster.delete(*SWEEP.reference, namespace, "trial")
        wait_for("deletion of the benchmarks", lambda: not sweeps.children(), 60)
        assert cluster.list(*BENCHMARK.reference, namespace, {}) == []


def suspend(cluster: RenamedKinds, body: Body, *, suspended: bool) -> None:
    """Change the sweep as a user does."""
    cluster.apply(body | {"spec": body["spec"] | {"suspend": suspended}}, "tests")
