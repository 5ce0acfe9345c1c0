"""What a benchmark that runs costs the API server while its pods are watched."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from solrbench.controller.scheduling.run_watches import KINDS
from solrbench.controller.stages import load_results
from solrbench.decide.scheduling.pauses import LIVE_LOAD_PAUSE
from solrbench.plan.load_plan import LoadState
from support.cluster.waiting import wait_until
from support.fakes.fake_cluster import FakeCluster
from support.fakes.faked_pods import (
    DOCUMENTS,
    ClusterWithFakedPods,
    IndexedCloud,
    Master,
    Workloads,
)
from support.fakes.handled_operator import HandledOperator
from support.resources.small_resource import create, resource
from unit.controller.runs import access_to

SECONDS = 10.0


class WatchedCluster(ClusterWithFakedPods):
    """Counts reads of pods and Jobs; its watches show a change when the test says so."""

    def __init__(self) -> None:
        super().__init__(FakeCluster())
        self.reads = 0
        self.change = threading.Event()
        self.passed_on = threading.Semaphore(0)

    def get(self, *arguments: Any) -> Any:
        self.reads += arguments[1] in ("Pod", "Job")
        return super().get(*arguments)

    def list(self, *arguments: Any) -> Any:
        self.reads += arguments[1] in ("Pod", "Job")
        return super().list(*arguments)

    def watch_changes(
        self, *_: object, on_open: Callable[[], None], **__: object
    ) -> Iterator[None]:
        on_open()
        self.change.wait(SECONDS)
        yield
        self.passed_on.release()
        threading.Event().wait(SECONDS)


class World:
    """An operator with a benchmark whose load is under way."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.cluster = WatchedCluster()
        access = access_to(IndexedCloud(documents=DOCUMENTS))
        self.operator = HandledOperator(self.cluster, patch, access, watches=True)
        self.workloads = Workloads(self.cluster, lambda: self.operator.now)
        patch.setattr(load_results, "LoadMasterClient", self.workloads.master)
        self.finished: list[str] = []
        patch.setattr(Master, "state", lambda _: self._state())
        self.cluster.real.put(resource(create() | {"spec.suspend": False}))
        (self.name,) = self.cluster.real.names("SolrBenchmark")

    def _state(self) -> LoadState:
        return LoadState(stage="Storing", unacknowledged=self.finished)

    def reconcile(self, seconds: float = 2) -> int:
        """Reconcile once and return how often pods or Jobs were read for it."""
        self.operator.watch()
        before = self.cluster.reads
        self.operator.reconcile(self.name, seconds=seconds)
        return self.cluster.reads - before

    def is_watched(self) -> bool:
        return self.operator.handlers._are_watched(self.uid)

    def measure(self) -> None:
        """Reconcile until the load is under way and nothing is new."""
        for _ in range(12):
            self.workloads.advance()
            self.reconcile()
        self.uid = self.operator.read(self.name)["metadata"]["uid"]
        wait_until(self.is_watched, "the watches are open", SECONDS)
        self.reconcile(LIVE_LOAD_PAUSE.total_seconds())


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(monkeypatch)
    made.measure()
    return made


def test_load_that_goes_on_costs_no_read(world: World) -> None:
    assert [world.reconcile() for _ in range(5)] == [0] * 5
    world.finished.append("r1-s0-one")
    assert world.reconcile() > 0


def test_change_of_a_pod_is_looked_at(world: World) -> None:
    assert world.reconcile() == 0
    world.cluster.change.set()
    assert all(world.cluster.passed_on.acquire(timeout=SECONDS) for _ in KINDS)
    assert world.reconcile() > 0
    assert world.reconcile() == 0


def test_spec_that_changed_is_looked_at(world: World) -> None:
    assert world.reconcile() == 0
    body = world.operator.read(world.name)
    body["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
    body["spec"]["suspend"] = True
    world.cluster.real.put(body)
    assert world.reconcile() > 0
    assert world.operator.read(world.name)["status"]["phase"] == "Suspended"


def test_nothing_of_a_deleted_benchmark_is_watched(world: World) -> None:
    del world.cluster.real.objects["SolrBenchmark", "default", world.name]
    world.operator.watch()
    assert not world.is_watched()


def test_nothing_of_a_benchmark_that_is_over_is_watched(world: World) -> None:
    body = world.operator.read(world.name)
    body["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
    body["spec"]["suspend"] = True
    world.cluster.real.put(body)
    world.reconcile()
    world.reconcile()
    assert not world.is_watched()
