"""When benchmarks are reconciled; the clock of the event loop is turned by the test."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from contextvars import ContextVar
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import kopf
import pytest
from kopf._core.engines.probing import health_reporter

from bench.servers.running import free_port
from solrbench.contract.load_plan import LoadState
from solrbench.controller import handlers as handlers_module
from solrbench.controller.handlers import Handlers
from solrbench.controller.schedule import (
    CHANGE_SECONDS,
    HANG_SECONDS,
    RETRY,
    BenchmarkKey,
    ReconcileSchedule,
    Rest,
    _Item,
)
from solrbench.decide.load import build_live_load
from solrbench.decide.pauses import LIVE_LOAD_PAUSE
from solrbench.errors import TemporaryError
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.load import LoadReason
from support.controller.world import NOW, SETTINGS
from support.fakes.fake_cluster import FakeCluster

ONE, TWO = BenchmarkKey("1", "default", "one"), BenchmarkKey("2", "default", "two")
LONG = timedelta(hours=1)
AT_ONCE = timedelta()
MARK: ContextVar[str] = ContextVar("MARK", default="")


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time can be moved on."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class World:
    """A schedule whose reconciles are noted."""

    def __init__(self, loop: Clock) -> None:
        self.loop = loop
        self.calls: list[tuple[str, str]] = []
        self.pause: timedelta | None = LONG
        self.error: Exception | None = None
        self.is_running = True
        self.is_settled = False
        self.gate = threading.Event()
        self.gate.set()
        self.schedule = ReconcileSchedule(self._reconcile, 2)

    def _reconcile(self, key: BenchmarkKey) -> Rest | None:
        self.calls.append((key.name, MARK.get()))
        assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        if self.pause is None:
            return None
        return Rest(self.pause, self.is_running, lambda: self.is_settled)

    async def until(self, calls: int) -> None:
        """Wait for so many reconciles, and for the last to end."""
        await self.when(lambda: len(self.calls) >= calls and not self.schedule.is_busy("1"))

    async def when(self, holds: Callable[[], bool]) -> None:
        """Wait for what a thread does."""
        while not holds():  # noqa: ASYNC110 - the threads know nothing of the loop
            await asyncio.sleep(0.001)

    async def begin(self) -> None:
        """Begin a reconcile that does not end before the gate opens."""
        self.gate.clear()
        self.schedule.add(ONE, 1, AT_ONCE)
        await self.when(lambda: bool(self.calls))

    def later(self, pause: timedelta) -> None:
        self.loop.ahead += pause.total_seconds()


@pytest.fixture
def loop() -> Iterator[Clock]:
    with closing(Clock()) as loop:
        yield loop


@pytest.fixture
def world(loop: Clock) -> Iterator[World]:
    world = World(loop)
    yield world
    world.gate.set()
    world.schedule.close()


async def test_it_is_reconciled_when_its_pause_is_over(world: World) -> None:
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    world.schedule.add(ONE, 1, AT_ONCE)  # an event that changes nothing
    world.later(LONG)
    await world.until(2)
    assert len(world.calls) == 2


async def test_the_first_pause_is_kept(world: World) -> None:
    world.schedule.add(ONE, 1, LONG)
    world.schedule.add(TWO, 1, AT_ONCE)
    await world.until(1)
    assert [name for name, _ in world.calls] == ["two"]


@pytest.mark.parametrize("wake", ["generation", "wake"])
async def test_a_change_ends_its_pause(world: World, wake: str) -> None:
    world.schedule.add(ONE, 1, LONG)
    if wake == "generation":
        world.schedule.add(ONE, 2, LONG)
    else:
        world.schedule.wake("1", 1)
        world.schedule.wake("1", 3000)  # does not delay it
        world.schedule.wake("unknown")
        world.later(timedelta(seconds=1))
    await world.until(1)
    assert len(world.calls) == 1


async def test_a_change_during_a_reconcile_brings_another(world: World) -> None:
    await world.begin()
    world.schedule.add(ONE, 2, LONG)
    assert world.schedule.is_busy("1")
    world.gate.set()
    await world.until(2)
    assert len(world.calls) == 2


async def test_an_error_is_logged_and_retried(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.error = ValueError("broken")
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    world.later(RETRY)
    await world.until(2)
    assert len(world.calls) == 2
    assert "default/one: unexpected exception" in caplog.text


async def test_one_that_is_gone_leaves_the_schedule(world: World) -> None:
    world.pause = None
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    assert not world.schedule.knows("1")


async def test_a_stopped_one_is_busy_until_its_last_reconcile_ends(world: World) -> None:
    await world.begin()
    world.schedule.stop("1")
    world.schedule.wake("1")
    assert world.schedule.is_busy("1")
    world.gate.set()
    await world.until(1)
    assert not world.schedule.knows("1")
    world.schedule.stop("unknown")
    assert len(world.calls) == 1


async def test_the_end_of_the_last_reconcile_of_a_stopped_one_is_waited_for(world: World) -> None:
    await world.begin()
    waiting = asyncio.create_task(world.schedule.stop_and_wait("1"))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    world.gate.set()
    await waiting
    assert not world.schedule.knows("1")
    await world.schedule.stop_and_wait("unknown")


async def test_a_reconcile_runs_in_the_context_of_its_addition(world: World) -> None:
    MARK.set("kopf's")
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    assert world.calls == [("one", "kopf's")]


class Body:
    """What kopf knows of a benchmark while it passes on an event."""


async def test_nothing_that_an_event_shows_is_kept_until_the_benchmark_is_due(world: World) -> None:
    shown: ContextVar[Body | None] = ContextVar("shown", default=None)
    world.schedule.add(ONE, 1, LONG)
    token, body = shown.set(Body()), weakref.ref(shown.get() or Body())
    world.schedule.add(TWO, 1, LONG)
    world.schedule.wake("2", 60)
    shown.reset(token)
    del token
    gc.collect()
    assert body() is None


async def test_one_that_is_settled_rests_again_without_a_reconcile(world: World) -> None:
    world.is_settled = True
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    item = world.schedule._items["1"]
    assert world.schedule.run(item) == item.rest
    world.schedule.add(ONE, 2, AT_ONCE)  # whatever its load says
    await world.until(2)
    world.is_settled = False
    world.schedule.run(item)
    assert len(world.calls) == 3


@pytest.mark.parametrize(("is_running", "calls"), [(True, 2), (False, 1)])
async def test_a_change_of_a_pod_ends_the_pause_of_one_that_runs(
    world: World, *, is_running: bool, calls: int
) -> None:
    world.is_settled, world.is_running = True, is_running
    world.schedule.add(ONE, 1, AT_ONCE)
    await world.until(1)
    world.schedule.note_change("default", "two")
    assert not world.schedule._items["1"].is_changed
    world.schedule.note_change("default", "one")
    assert world.schedule._items["1"].is_changed is is_running
    await asyncio.sleep(0)
    world.later(timedelta(seconds=CHANGE_SECONDS))
    await world.until(calls)
    assert len(world.calls) == calls


async def test_a_change_during_a_reconcile_is_not_taken_for_seen(world: World) -> None:
    world.is_settled = True
    await world.begin()
    world.schedule.note_change("default", "one")
    world.gate.set()
    await world.until(1)
    assert world.schedule._items["1"].is_changed


STATE = LoadState(stage="Measuring", repeat=1, step="ten", requests=100)


class LoadWorld:
    """A load as the last reconcile left it, and what its master says now."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.state: LoadState | None = STATE
        self._patch = patch
        telemetry = PrometheusMetrics("test")
        self.handlers = Handlers(FakeCluster(), SETTINGS, telemetry)
        self.watch(is_open=True)

    def watch(self, *, is_open: bool) -> None:
        self._patch.setattr(self.handlers._watches, "are_open", lambda _: is_open)

    def _ask(self) -> LoadState:
        if self.state is None:
            raise TemporaryError(LoadReason.LOAD_MASTER_UNREACHABLE, "gone")
        return self.state

    def is_settled(self, seconds: float = 2) -> bool:
        self._patch.setattr(handlers_module, "utc_now", lambda: NOW + timedelta(seconds=seconds))
        return self.handlers._is_load_settled("search", build_live_load(STATE, NOW), self._ask)


@pytest.fixture
def load_world(monkeypatch: pytest.MonkeyPatch) -> LoadWorld:
    return LoadWorld(monkeypatch)


def test_load_that_goes_on_is_settled_until_its_figures_are_due(load_world: LoadWorld) -> None:
    assert load_world.is_settled()
    assert not load_world.is_settled(LIVE_LOAD_PAUSE.total_seconds())


@pytest.mark.parametrize(
    "changes",
    [
        {"unacknowledged": ["r1-s0-ten"]},
        {"stage": "Failed", "reason": "LoadFailed"},
        {"step": "twenty"},
        {"repeat": 2},
        {"requests": 200},
    ],
)
def test_load_with_something_new_is_not(load_world: LoadWorld, changes: dict[str, object]) -> None:
    load_world.state = STATE.model_copy(update=changes)
    assert not load_world.is_settled()


def test_a_load_whose_state_or_pods_are_not_known_needs_a_reconcile(load_world: LoadWorld) -> None:
    load_world.watch(is_open=False)
    assert not load_world.is_settled()
    load_world.watch(is_open=True)
    load_world.state = None
    assert not load_world.is_settled()


async def health(registry: kopf.OperatorRegistry) -> tuple[int, Any]:
    """Return what kopf's own endpoint answers to the kubelet."""
    ready, settings = asyncio.Event(), kopf.OperatorSettings()
    endpoint = f"http://127.0.0.1:{free_port()}/healthz"
    given = {"memo": kopf.Memo(), "indices": {}, "registry": registry, "settings": settings}
    task = asyncio.create_task(health_reporter(endpoint, ready_flag=ready, **cast(Any, given)))
    try:
        await asyncio.wait_for(ready.wait(), 10)
        async with aiohttp.ClientSession() as session, session.get(endpoint) as response:
            is_text = response.content_type != "application/json"
            return response.status, await (response.text() if is_text else response.json())
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def test_a_reconcile_that_hangs_fails_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    time = SimpleNamespace(monotonic=lambda: clock[0])
    monkeypatch.setattr("solrbench.controller.schedule.time", time)
    found: list[tuple[int, Any]] = []

    def reconcile(_: BenchmarkKey) -> None:
        for seconds in (12.0, HANG_SECONDS):
            clock[0] += seconds
            found.append(asyncio.run(health(registry)))

    schedule = ReconcileSchedule(reconcile, 1)
    registry = kopf.OperatorRegistry()
    probe = kopf.on.probe(registry=registry, id="reconcileSeconds")
    probe(cast(Any, schedule.check_health))
    item = schedule._items[ONE.uid] = _Item(ONE, 1)
    schedule.run(item)
    assert found[0] == (200, {"reconcileSeconds": 12.0})
    assert found[1][0] == 500
    assert asyncio.run(health(registry)) == (200, {"reconcileSeconds": 0.0})
