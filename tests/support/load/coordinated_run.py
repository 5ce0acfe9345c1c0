"""A run of a load plan over faked workers, at the speed of a test."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from solrbench.contract.answers import StoredAnswers
from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import EmptiedCaches
from solrbench.load.errors import LoadError
from solrbench.load.master.result_store import ResultStore
from solrbench.load.master.run import RunCoordinator
from solrbench.load.master.step_run import RunStatus, StepRunExecutor
from solrbench.load.schedule.messages import Assignment
from support.load.fake_locust import FakeLoad
from support.load.fake_workers import FakeCaches, ObedientWorkers, load_plan

STARTED = datetime(2026, 11, 1, 12, tzinfo=UTC)
TIMED: dict[str, Any] = {"name": "timed", "users": 4, "durationSeconds": 10}
EMPTIED = EmptiedCaches(entries_before=7, cores=2, seconds=0.5)


class Run:
    """A run whose states are looked at twice a second, and whose documents are in no folder."""

    def __init__(self, *steps: dict[str, Any], **fields: Any) -> None:
        """Plan a ladder of steps, with other `fields` of the plan."""
        plan = load_plan(*steps, **fields)
        redistribute = plan.on_worker_loss == "Redistribute"
        self.load = FakeLoad(plan.workers, redistribute=redistribute)
        self.workers = ObedientWorkers(self.load)
        self.store = ResultStore(Path(os.devnull))
        self.caches = FakeCaches()
        self.asked: list[str] = []
        self.emptied: list[LoadState] = []
        """What was shown when caches were emptied."""
        self.empty_error: LoadError | None = None
        self.states: list[LoadState] = []
        clock = self.load.clock
        executor = StepRunExecutor(
            plan,
            self.load.pool,
            RunStatus(plan.benchmark, self.load.pool, lambda: self.store.unacknowledged, clock.now),
            self.caches,
            utc_now=lambda: STARTED + timedelta(seconds=clock.now()),
            now=clock.now,
        )
        self.coordinator = RunCoordinator(
            executor, self.store, lambda: None, empty_caches=self._empty, ask_queries=self._ask
        )
        self._look()
        clock.after(1, lambda: self.load.join(*"abcdefgh"[: plan.workers]))

    @property
    def state(self) -> LoadState:
        return self.coordinator.status.load_state()

    def _ask(self, variant: str) -> StoredAnswers:
        self.states.append(self.state)
        self.asked.append(variant)
        return StoredAnswers(first=10, queries=len(self.asked))

    def _empty(self) -> EmptiedCaches:
        self.emptied.append(self.state)
        if self.empty_error is not None:
            raise self.empty_error
        return EMPTIED

    def _look(self) -> None:
        self.states.append(self.state)
        self.load.clock.after(0.5, self._look)

    def run(self) -> LoadState:
        self.coordinator.run()
        return self.state

    def fail(self) -> LoadError:
        """Run into a failure; show it as the master does."""
        with pytest.raises(LoadError) as raised:
            self.coordinator.run()
        self.coordinator.status.fail(raised.value)
        return raised.value

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        self.load.clock.after(seconds, action)

    @property
    def stages(self) -> list[str]:
        return [stage for stage, _ in groupby(state.stage for state in self.states)]

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in groupby(part.key for _, part in self.load.sent(Assignment))]

    def document(self, step_run_id: str) -> StepRunResult:
        text = self.store.get(step_run_id)
        assert text is not None
        return StepRunResult.model_validate_json(text)
