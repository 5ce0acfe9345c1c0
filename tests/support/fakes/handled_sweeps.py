"""The operator's handlers of sweeps beside those of benchmarks, called by a test."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.cluster.client import Cluster
from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey
from solrbench.controller.settings import Settings
from solrbench.controller.stages import load_results
from solrbench.controller.sweeps import handlers as handlers_module
from solrbench.controller.sweeps.handlers import SweepHandlers
from solrbench.plan.names import LABEL_COMPONENT
from solrbench.sweep.points import benchmark_name
from support.cluster.renamed_kinds import RenamedKinds
from support.fakes.fake_cluster import FakeCluster
from support.fakes.faked_pods import (
    DOCUMENTS,
    ClusterWithFakedPods,
    IndexedCloud,
    Workloads,
)
from support.fakes.handled_operator import SETTINGS, HandledOperator, condition, settings_for
from unit.controller.runs import access_to

Body = dict[str, Any]


class CountedWorkloads(Workloads):
    """Counts the pods of each Job, so that a test sees what is measured again."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.started: Counter[str] = Counter()

    def _make_pod(self, job: Body) -> None:
        name, component = job["metadata"]["name"], job["metadata"]["labels"][LABEL_COMPONENT]
        self.started[f"{component}/{name}"] += 1
        super()._make_pod(job)


def running_benchmark(sweep: str, point: Body) -> str:
    """Return the benchmark of a point under way, by its status."""
    return benchmark_name(sweep, point["name"], point.get("rounds", 0) + 1)


@dataclass
class HandledSweeps:
    """Sweeps and their benchmarks, with all pods faked.

    Attributes:
        patch: of the test
        cluster: where all is
        namespace: of the sweeps
        settings: of the operator
        operator: handles the benchmarks

    """

    patch: pytest.MonkeyPatch
    cluster: ClusterWithFakedPods = field(
        default_factory=lambda: ClusterWithFakedPods(FakeCluster())
    )

    namespace: str = "default"
    settings: Settings = SETTINGS

    def __post_init__(self) -> None:
        self._open: set[str] = set()
        access = access_to(IndexedCloud(documents=DOCUMENTS))
        self.operator = HandledOperator(self.cluster, self.patch, access, self.settings)
        self.workloads = CountedWorkloads(self.cluster, lambda: self.operator.now)
        self.patch.setattr(handlers_module, "_utc_now", lambda: self.operator.now)
        self.patch.setattr(load_results, "LoadMasterClient", self.workloads.master)
        self.restart()

    def restart(self) -> None:
        """Forget all that is not in the cluster."""
        self.operator.restart()
        self.handlers = SweepHandlers(
            cast(Cluster, self.cluster), self.operator.settings, self.operator.telemetry
        )

    def put(self, body: Body) -> Body:
        """Store a sweep as a user does; a changed spec is a new generation."""
        stored = self.find(body["metadata"]["name"])
        if stored is not None:
            generation = stored["metadata"].get("generation", 1) + 1
            body = stored | {"spec": body["spec"]}
            body["metadata"] |= {"generation": generation}
        put: Body = self.cluster.real.put(body)
        return put

    def find(self, name: str = "trial") -> Body | None:
        found: Body | None = self.cluster.get(*SWEEP.reference, self.namespace, name)
        return found

    def read(self, name: str = "trial") -> Body:
        found = self.find(name)
        assert found is not None
        return found

    def children(self) -> dict[str, Body]:
        """Return all benchmarks by name."""
        found = self.cluster.list(*BENCHMARK.reference, self.namespace, {})
        return {each["metadata"]["name"]: each for each in found}

    def reconcile(self, name: str = "trial") -> Any:
        """Reconcile a sweep and return the pause that it asks for."""
        return self.handlers.on_due(self.key(self.read(name)))

    def key(self, body: Body) -> BenchmarkKey:
        """Return the key of a sweep on the schedule."""
        return BenchmarkKey(body["metadata"]["uid"], self.namespace, body["metadata"]["name"])

    def show(self, type_: str, body: Body) -> None:
        """Pass on what kopf's watch would show of a sweep."""
        asyncio.run(self._show(type_, body))

    async def _show(self, type_: str, body: Body) -> None:
        await self.handlers.on_event(event={"type": type_}, body=body)
        await self.handlers.on_cleanup()

    def get_on(self, name: str = "trial") -> None:
        """Let two seconds pass for the sweep and all benchmarks that are not over."""
        self.reconcile(name)
        points = self.read(name).get("status", {}).get("points", [])
        self._open |= {
            running_benchmark(name, each) for each in points if each["state"] == "Running"
        }
        for child in sorted(self._open):
            body = self.operator.find(child, self.namespace)
            if body is None or condition(body, "CleanedUp")[0] == "True":
                self._open.discard(child)
                continue
            self.workloads.advance()
            self.operator.reconcile(child, self.namespace, 2)

    def finish(self, name: str = "trial", rounds: int = 400) -> Body:
        """Let it get on until it is over."""
        for _ in range(rounds):
            self.get_on(name)
            if condition(self.read(name), "Complete")[0] == "True":
                return self.read(name)
        raise AssertionError(self.read(name)["status"])

    def delete(self, name: str = "trial") -> None:
        """Delete a sweep, and what belongs to it as the garbage collector does."""
        self.cluster.delete(*SWEEP.reference, self.namespace, name)
        for child in self.children():
            assert self.operator.finalize(child, self.namespace)
            self.cluster.real.delete(*BENCHMARK.reference, self.namespace, child)
            self.cluster.collect(child)


def handled_sweeps(
    patch: pytest.MonkeyPatch, cluster: RenamedKinds, namespace: str
) -> HandledSweeps:
    """Return the sweeps of a namespace of a real API server, with pods faked."""
    sweeps = HandledSweeps(patch, ClusterWithFakedPods(cluster), namespace, settings_for(namespace))
    sweeps.operator.now = datetime.now(UTC).replace(microsecond=0)
    return sweeps
