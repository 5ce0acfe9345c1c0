"""When a load that runs needs a reconcile."""

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import CollectorRegistry

from solrbench.contract.load_plan import LoadState
from solrbench.controller import handlers as handlers_module
from solrbench.controller.handlers import Handlers
from solrbench.controller.settings import Settings
from solrbench.decide.load import build_live_load
from solrbench.decide.pauses import LIVE_LOAD_PAUSE
from solrbench.errors import TemporaryError
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.load import LoadReason
from support.fakes.fake_cluster import FakeCluster

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
STATE = LoadState(stage="Measuring", repeat=1, step="ten", requests=100)
SETTINGS = Settings.from_environment({"SOLRBENCH_IMAGE": "solrbench:1"})


class World:
    """A load as the last reconcile left it, and what its master says now."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.state: LoadState | None = STATE
        self._patch = patch
        telemetry = PrometheusMetrics(CollectorRegistry(), "test")
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
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_load_that_goes_on_is_settled(world: World) -> None:
    assert world.is_settled()


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
def test_load_with_something_new_is_not(world: World, changes: dict[str, object]) -> None:
    world.state = STATE.model_copy(update=changes)
    assert not world.is_settled()


def test_master_that_does_not_respond_needs_a_reconcile(world: World) -> None:
    world.state = None
    assert not world.is_settled()


def test_load_whose_pods_are_not_watched_needs_a_reconcile(world: World) -> None:
    world.watch(is_open=False)
    assert not world.is_settled()


def test_live_figures_are_due_now_and_then(world: World) -> None:
    assert not world.is_settled(LIVE_LOAD_PAUSE.total_seconds())
