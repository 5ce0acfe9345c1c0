"""When a load that runs needs a reconcile."""

from datetime import UTC, datetime, timedelta

import pytest

from solrbench.contract.load_plan import LoadState
from solrbench.controller.running_loads import RunningLoad, RunningLoads
from solrbench.controller.schedule import BenchmarkKey
from solrbench.decide.load import build_live_load
from solrbench.decide.pauses import LIVE_LOAD_PAUSE
from solrbench.errors import TemporaryError
from solrbench.reasons.load import LoadReason

KEY = BenchmarkKey("uid", "search", "one")
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
STATE = LoadState(stage="Measuring", repeat=1, step="ten", requests=100)


class World:
    """A load as the last reconcile left it, and what its master says now."""

    def __init__(self) -> None:
        self.state: LoadState | None = STATE
        self.loads = RunningLoads()
        self.loads.observe("uid", 3)
        self.loads.begin(KEY)
        self.set()

    def set(self) -> None:
        self.loads.set(KEY, RunningLoad(3, build_live_load(STATE, NOW), self._ask))

    def _ask(self) -> LoadState:
        if self.state is None:
            raise TemporaryError(LoadReason.LOAD_MASTER_UNREACHABLE, "gone")
        return self.state

    def is_settled(self, seconds: float = 2) -> bool:
        return self.loads.is_settled("uid", NOW + timedelta(seconds=seconds))


def test_load_that_goes_on_is_settled() -> None:
    assert World().is_settled()


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
def test_load_with_something_new_is_not(changes: dict[str, object]) -> None:
    world = World()
    world.state = STATE.model_copy(update=changes)
    assert not world.is_settled()


def test_master_that_does_not_respond_needs_a_reconcile() -> None:
    world = World()
    world.state = None
    assert not world.is_settled()


def test_live_figures_are_due_now_and_then() -> None:
    assert not World().is_settled(LIVE_LOAD_PAUSE.total_seconds())


def test_change_of_a_pod_needs_a_reconcile_until_one_begins() -> None:
    world = World()
    assert world.loads.note_change("search", "one") == "uid"
    assert not world.is_settled()
    world.set()
    assert not world.is_settled()  # it changed while the reconcile was under way
    world.loads.begin(KEY)
    world.set()
    assert world.is_settled()


def test_new_generation_needs_a_reconcile() -> None:
    world = World()
    world.loads.observe("uid", 4)
    assert not world.is_settled()


def test_changes_are_noted_from_the_begin_of_a_reconcile_until_it_runs_no_more() -> None:
    loads, other = World().loads, BenchmarkKey("other", "search", "two")
    loads.observe("other", 1)
    assert loads.note_change("search", "two") is None
    loads.begin(other)
    assert loads.note_change("search", "two") == "other"
    loads.end(BenchmarkKey("older", "search", "two"))  # one of the same name before it
    assert loads.runs("other")
    loads.end(other)
    assert loads.note_change("search", "two") is None
    assert not loads.runs("other")
    assert loads.runs("uid")


def test_nothing_is_known_of_one_that_is_gone() -> None:
    world = World()
    world.loads.forget(KEY)
    assert not world.is_settled()
    world.set()  # by a reconcile that was under way
    assert not world.is_settled()
    world.loads.begin(KEY)  # one that had been due already
    assert not world.loads.runs("uid")
