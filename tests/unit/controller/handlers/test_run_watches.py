"""What a benchmark that runs costs the API server while its pods are watched."""

import threading
from collections.abc import Callable, Iterator

import pytest

from solrbench.controller.scheduling.run_watches import KINDS
from solrbench.decide.scheduling.pauses import LIVE_LOAD_PAUSE
from solrbench.plan.load_plan import LoadState
from support.cluster.waiting import wait_until
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver
from support.fakes.workloads import Master
from support.resources.small_resource import create, resource

SECONDS = 10.0


class WatchedCluster(FakeCluster):
    """Its watches show a change when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.change = threading.Event()
        self.passed_on = threading.Semaphore(0)

    @property
    def reads(self) -> int:
        """Reads of pods and Jobs so far."""
        return sum(each.kind in ("Pod", "Job") for each in self.requests)

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
        self.operator = OperatorDriver(self.cluster, patch, watches=True)
        self.finished: list[str] = []
        patch.setattr(Master, "state", lambda _: self._state())
        self.cluster.put(resource(create() | {"spec.suspend": False}))
        (self.name,) = self.cluster.names("SolrBenchmark")

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
            self.operator.workloads.advance()
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
    world.cluster.put(body)
    assert world.reconcile() > 0
    assert world.operator.read(world.name)["status"]["phase"] == "Suspended"


def test_nothing_of_a_deleted_benchmark_is_watched(world: World) -> None:
    del world.cluster.objects["SolrBenchmark", "default", world.name]
    world.operator.watch()
    assert not world.is_watched()


def test_nothing_of_a_benchmark_that_is_over_is_watched(world: World) -> None:
    body = world.operator.read(world.name)
    body["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
    body["spec"]["suspend"] = True
    world.cluster.put(body)
    world.reconcile()
    world.reconcile()
    assert not world.is_watched()
