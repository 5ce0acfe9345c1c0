"""Watches of pods and Jobs, and what a benchmark costs the API server while they are open."""

import json
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2 as httpx
import pytest

from bench.harness.processes import wait_until
from solrbench.contract.load_plan import LoadState
from solrbench.controller import watches as watches_module
from solrbench.controller.watches import KINDS, PodWatches
from solrbench.decide.pauses import LIVE_LOAD_PAUSE
from solrbench.kube.connection import ForbiddenError
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver
from support.fakes.workloads import Master
from support.resources.small_resource import create, resource
from support.servers.api_stub import cluster_of, resources, status, stream_of

SECONDS = 10.0


def metadata_of(benchmark: str, namespace: str = "search") -> dict[str, Any]:
    return {"namespace": namespace, "labels": {"solrbench.io/benchmark": benchmark}}


class WatchedCluster(FakeCluster):
    """Its watches show a change when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.change = threading.Event()
        self.changed = "unknown"
        self.passed_on = threading.Semaphore(0)

    @property
    def reads(self) -> int:
        """Reads of pods and Jobs so far."""
        return sum(each.kind in ("Pod", "Job") for each in self.requests)

    def watch_changes(self, *_: Any, on_open: Callable[[], None], **__: Any) -> Iterator[Any]:
        on_open()
        self.change.wait(SECONDS)
        yield metadata_of(self.changed, "default")
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

    def suspend(self) -> None:
        body = self.operator.read(self.name)
        body["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
        body["spec"]["suspend"] = True
        self.cluster.put(body)

    def is_watched(self) -> bool:
        item = self.operator.handlers._schedule._items.get(self.uid)
        is_open = self.operator.handlers._watches.are_open("default")
        return is_open and item is not None and item.is_running

    def change(self, benchmark: str) -> None:
        """Show a changed pod and a changed Job."""
        self.cluster.changed = benchmark
        self.cluster.change.set()
        assert all(self.cluster.passed_on.acquire(timeout=SECONDS) for _ in KINDS)

    def measure(self) -> None:
        """Reconcile until the load is under way and nothing is new."""
        for _ in range(12):
            self.operator.workloads.advance()
            self.reconcile()
        self.uid = self.operator.read(self.name)["metadata"]["uid"]
        wait_until(self.is_watched, SECONDS, "the watches are open")
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
    world.change(world.name)
    assert world.reconcile() > 0
    assert world.reconcile() == 0


def test_change_of_a_pod_of_another_benchmark_is_not(world: World) -> None:
    assert world.reconcile() == 0
    world.change("another")
    assert world.reconcile() == 0


def test_spec_that_changed_is_looked_at(world: World) -> None:
    assert world.reconcile() == 0
    world.suspend()
    assert world.reconcile() > 0
    assert world.operator.read(world.name)["status"]["phase"] == "Suspended"


def test_nothing_of_a_deleted_benchmark_is_watched(world: World) -> None:
    del world.cluster.objects["SolrBenchmark", "default", world.name]
    world.operator.watch()
    assert not world.is_watched()


def test_nothing_of_a_benchmark_that_is_over_is_watched(world: World) -> None:
    world.suspend()
    world.reconcile()
    world.reconcile()
    assert not world.is_watched()


POD = {"type": "ADDED", "object": {"kind": "PartialObjectMetadata", "metadata": metadata_of("one")}}


class Responses:
    """Responds to the first watches of each kind, to no further one before the end of the test."""

    def __init__(self, *responses: Callable[[], httpx.Response]) -> None:
        self.watches: list[tuple[str, str]] = []
        self._responses = {kind: iter(responses) for kind in ("pods", "jobs")}
        self._lock = threading.Lock()
        self.end = threading.Event()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path in ("/api/v1", "/apis/batch/v1"):
            return resources("Pod", "Job")
        with self._lock:
            self.watches.append((request.url.path, request.url.params["labelSelector"]))
            found = next(self._responses[request.url.path.rpartition("/")[2]], None)
        if found is None:
            self.end.wait(SECONDS)
        return stream_of() if found is None else found()


class Lasting(httpx.SyncByteStream):
    """A watch that shows a pod and then stays open until the end of the test."""

    def __init__(self, end: threading.Event) -> None:
        self._end = end

    def __iter__(self) -> Iterator[bytes]:
        yield json.dumps(POD).encode() + b"\n"
        self._end.wait(SECONDS)


Changes = queue.Queue[tuple[str, str]]


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Changes:
    monkeypatch.setattr(watches_module, "FIRST_RETRY_SECONDS", 0.01)
    return queue.Queue()


@contextmanager
def watching(
    responses: Responses, changes: Changes, namespaces: Sequence[str] = ("search",)
) -> Iterator[PodWatches]:
    """Watch until the end of the block."""
    watches = PodWatches(cluster_of(responses), namespaces, lambda *key: changes.put(key))
    watches.start()
    yield watches
    watches.stop()
    responses.end.set()


@pytest.mark.parametrize(
    ("namespaces", "places"),
    [((), [""]), (("search", "shop"), ["/namespaces/search", "/namespaces/shop"])],
)
def test_two_watches_serve_all_benchmarks_of_a_namespace_or_of_all(
    changes: Changes, namespaces: Sequence[str], places: Sequence[str]
) -> None:
    responses = Responses(lambda: stream_of(POD, POD))
    with watching(responses, changes, namespaces):
        assert [changes.get(timeout=SECONDS) for _ in range(4)] == [("search", "one")] * 4
        # Distinct ones: a stream that ended may have begun again before the last one has.
        wait_until(lambda: len({*responses.watches}) >= 2 * len(places), SECONDS, "all have begun")
    wanted = {f"/api/v1{place}/pods" for place in places}
    wanted |= {f"/apis/batch/v1{place}/jobs" for place in places}
    assert set(responses.watches) == {(path, "solrbench.io/benchmark") for path in wanted}


def broken_line() -> httpx.Response:
    return httpx.Response(200, content=b'{"type": "ADD\n')


@pytest.mark.parametrize(
    "first",
    [lambda: status(403, "no right to watch"), broken_line, lambda: stream_of({"type": "ADDED"})],
    ids=["refused", "half a line", "without metadata"],
)
def test_watch_that_fails_is_not_open_and_begins_again(
    changes: Changes, first: Callable[[], httpx.Response]
) -> None:
    responses = Responses(first, lambda: httpx.Response(200, stream=Lasting(responses.end)))
    with watching(responses, changes) as watches:
        assert [changes.get(timeout=SECONDS) for _ in KINDS] == [("search", "one")] * 2
        wait_until(lambda: watches.are_open("search"), SECONDS, "both are open")
        assert not watches.are_open("shop")
    assert not watches.are_open("search")


class Pauses(threading.Event):
    """Notes how long it is waited for, and is set after some times."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.seconds: list[float | None] = []
        self._most = most

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        if len(self.seconds) == self._most:
            self.set()
        return self.is_set()


def test_the_pause_grows_until_a_watch_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    refused, opened = (lambda: status(403, "no right to watch")), stream_of
    responses = Responses(refused, refused, refused, opened, opened, refused)
    watches = PodWatches(cluster_of(responses), ("search",), lambda *_: None)
    monkeypatch.setattr(watches, "_stopped", pauses := Pauses(6))
    watches._run("search", KINDS[0], threading.Event())
    assert pauses.seconds == [1, 2, 4, 1, 1, 2]


def test_watch_that_ended_is_not_open(changes: Changes) -> None:
    responses = Responses(lambda: stream_of(POD))
    with watching(responses, changes) as watches:
        assert [changes.get(timeout=SECONDS) for _ in KINDS] == [("search", "one")] * 2
        wait_until(lambda: not watches.are_open("search"), SECONDS, "both have ended")


def test_watch_survives_whatever_a_change_brings_about(changes: Changes) -> None:
    responses = Responses(lambda: stream_of(POD), lambda: stream_of(POD))
    failures: list[str] = []

    def fail_at_first(namespace: str, name: str) -> None:
        if len(failures) < len(KINDS):
            failures.append(name)
            raise KeyError(name)
        changes.put((namespace, name))

    watches = PodWatches(cluster_of(responses), (), fail_at_first)
    watches.start()
    assert [changes.get(timeout=SECONDS) for _ in KINDS] == [("search", "one")] * 2
    watches.stop()
    responses.end.set()


def test_error_in_a_watch_is_raised() -> None:
    gone = {"kind": "Status", "code": 403, "message": "the role is gone"}
    cluster = cluster_of(Responses(lambda: stream_of(POD, {"type": "ERROR", "object": gone})))
    opened: list[bool] = []
    seen = cluster.watch_changes(
        "v1", "Pod", "search", "of", seconds=1, on_open=lambda: opened.append(True)
    )
    next(seen)
    assert opened == [True]
    with pytest.raises(ForbiddenError, match="the role is gone"):
        next(seen)


def test_nothing_is_watched_before_the_start() -> None:
    assert not PodWatches(cluster_of(Responses()), (), lambda *_: None).are_open("search")
