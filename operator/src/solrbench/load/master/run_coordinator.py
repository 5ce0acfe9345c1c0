"""The order of events of a run: workers, then every pass with its warm-up."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import NamedTuple, Protocol

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.errors import LoadError
from solrbench.load.master.list_offsets import Bookmark, finite_entries, most_sent, resumed
from solrbench.load.master.merge_results import PassRecord, WarmedUp, merge_outcomes
from solrbench.load.master.request_windows import merge_thousands
from solrbench.load.master.result_store import ResultStore
from solrbench.load.master.steady_state import SteadyWatch
from solrbench.load.master.throughput import Speedometer
from solrbench.load.master.worker_pool import Crew, StepRunAbortedError
from solrbench.load.recording.name_limit import RequestNames
from solrbench.load.recording.worker_result import WorkerOutcome
from solrbench.load.schedule.assignment import (
    Assignment,
    Start,
    step_assignment,
    warm_up_assignment,
)
from solrbench.plan.load_plan import LoadPlan, LoadState, PlannedPass
from solrbench.results.model.windows import CacheSample

AT_ONCE_RATE = 1_000_000
"""Users per second that make every dispatch a single one."""

_GRACE_SECONDS = 30.0
_SPAWNS_PER_SECOND = 500
"""What even a busy worker manages; bounds the wait for users that are spawned at once."""

_logger = logging.getLogger(__name__)


class CacheWatch(Protocol):
    """Asks for Solr's caches while a pass runs."""

    def begin(self) -> None:
        """Ask at once and then again and again."""

    def end(self, began: float) -> list[CacheSample]:
        """Ask a last time; return everything, in seconds since `began` (monotonic)."""


class _Played(NamedTuple):
    """A pass that was run."""

    began: datetime
    """When it began to be measured."""
    outcomes: list[tuple[str, WorkerOutcome]]
    caches: list[CacheSample]
    steady: bool | None
    """Whether it became steady; None if nobody asked."""
    may_repeat: bool
    """Whether queries that are to be sent once may have been sent before it."""


class Conductor:
    """Runs the plan.

    `utc_now` gives the time that documents carry; `prepare` is called once when all workers are
    there and raises `LoadError` if the run cannot begin.
    """

    def __init__(  # noqa: PLR0913 - what to do, and everybody who does it
        self,
        plan: LoadPlan,
        crew: Crew,
        store: ResultStore,
        prepare: Callable[[], None],
        *,
        utc_now: Callable[[], datetime],
        caches: CacheWatch,
    ) -> None:
        self._plan = plan
        self._crew = crew
        self._store = store
        self._prepare = prepare
        self._utc_now = utc_now
        self._caches = caches
        self._stage = "WaitingForWorkers"
        self._pass: PlannedPass | None = None
        self._began: float | None = None
        self._speed = Speedometer()
        self._failure: LoadError | None = None
        self._finite = finite_entries(plan.workload)
        self._mark = Bookmark(self._finite)
        self._names = RequestNames()

    @property
    def is_over(self) -> bool:
        """Say whether every pass is measured or the run has failed."""
        return self._stage in ("Finished", "Failed")

    def run(self) -> None:
        """Measure every pass of the plan.

        Raises:
            LoadError: the run cannot go on; finished documents stay in the store

        """
        self._crew.gather()
        self._prepare()
        ladder = None
        for planned in self._plan.passes:
            self._wait_until_stored()
            self._pass = planned
            warmed_up = WarmedUp()
            if (planned.repeat, planned.variant) != ladder:
                self._mark = Bookmark(self._finite) if ladder else resumed(self._plan)
                ladder = (planned.repeat, planned.variant)
                warmed_up = self._warm_up(planned)
            self._measure(planned, warmed_up)
        self._pass = None
        self._enter("Finished")

    def fail(self, failure: LoadError) -> None:
        """Show a failure from now on."""
        self._failure = failure
        self._enter("Failed")

    def state(self) -> LoadState:
        """Return the answer of `GET /solrbench/state`."""
        figures = self._crew.figures
        now = time.monotonic()
        self._speed.note(now, figures.requests)
        running = self._pass is not None and not self.is_over
        planned_rate = self._planned_rate() if running else None
        return LoadState(
            stage=self._stage,
            workers=self._crew.connected,
            pass_id=self._pass.id if self._pass and running else None,
            repeat=self._pass.repeat if self._pass and running else None,
            variant=self._pass.variant or None if self._pass and running else None,
            step=self._pass.step.name if self._pass and running else None,
            users=self._crew.users if running and planned_rate is None else 0,
            planned_requests_per_second=planned_rate,
            requests=figures.requests if running else 0,
            failures=figures.failures if running else 0,
            requests_per_second=self._speed.rate(now) if running else 0.0,
            elapsed_seconds=now - self._began if running and self._began is not None else 0.0,
            unacknowledged=self._store.unacknowledged,
            reason=self._failure.reason if self._failure else None,
            message=self._failure.message if self._failure else None,
        )

    def _planned_rate(self) -> float | None:
        if self._pass is None or self._stage == "WarmingUp":
            return None
        return self._pass.step.requests_per_second

    def _warm_up(self, planned: PlannedPass) -> WarmedUp:
        assignment = warm_up_assignment(self._plan, planned)
        if assignment is None:
            return WarmedUp()
        until = self._plan.warm_up.until_steady if self._plan.warm_up else None
        played = self._play(assignment, AT_ONCE_RATE, "WarmingUp", until)
        outcomes = [outcome for _, outcome in played.outcomes]
        return WarmedUp(
            requests=sum(outcome.measured for outcome in outcomes),
            steady=played.steady,
            thousands=merge_thousands(outcomes),
            caches=played.caches,
        )

    def _wait_until_stored(self) -> None:
        """Begin no pass of a list that is gone through once before the last one is stored.

        If this master is lost, the next one knows that way which pass may have been begun.
        """
        if any(self._finite) and self._store.unacknowledged:
            self._pass = None
            self._enter("Storing")
            self._crew.wait(lambda: not self._store.unacknowledged)

    def _measure(self, planned: PlannedPass, warmed_up: WarmedUp) -> None:
        assignment = step_assignment(self._plan, planned)
        rate = planned.step.spawn_rate or AT_ONCE_RATE
        played = self._play(assignment, rate, "Measuring")
        record = PassRecord(
            self._plan.attempt,
            played.began,
            warmed_up,
            played.caches,
            tuple(self._crew.lost),
            self._mark.offsets,
            played.may_repeat,
        )
        outcomes = played.outcomes
        if self._plan.workload.locustfile is not None:
            outcomes = [(worker, _renamed(each, self._names)) for worker, each in outcomes]
        self._store.add(merge_outcomes(planned, outcomes, record))

    def _play(
        self, assignment: Assignment, rate: int, stage: str, until: UntilSteady | None = None
    ) -> _Played:
        """Run one pass, `until` it is steady if that is given; again if need be."""
        for again in count():
            key = f"{assignment.key}/again-{again}" if again else assignment.key
            offsets = list(self._mark.offsets)
            wanted = assignment.model_copy(update={"key": key, "offsets": offsets})
            try:
                return self._try(wanted, rate, stage, until)
            except StepRunAbortedError as spoiled:
                _logger.warning("pass=%s is run again: %s", assignment.key, spoiled)
                self._skip(assignment)
                self._crew.abandon()
                self._caches.end(time.monotonic())
                self._dismiss_users(assignment, rate)
        raise AssertionError  # count() has no end

    def _skip(self, assignment: Assignment) -> None:
        """Go on behind what a spoiled try can have sent."""
        waited = assignment.start is Start.BARRIER and not self._crew.is_measuring
        if any(self._finite) and not waited:
            self._mark = self._mark.beyond(most_sent(assignment, self._plan.workload))

    def _try(
        self, assignment: Assignment, rate: int, stage: str, until: UntilSteady | None
    ) -> _Played:
        self._speed.reset()
        self._began = None
        self._caches.begin()
        assignment = self._crew.assign(assignment)
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._enter("WarmingUp" if stage == "WarmingUp" else "Ramping")
        self._crew.spawn(assignment.users, rate)
        if assignment.start is not Start.AT_ONCE:
            connecting = self._plan.workload.timeout_seconds
            self._crew.wait_spawned(spawning + connecting + _GRACE_SECONDS)
            self._crew.go()
        began = self._utc_now() + timedelta(seconds=assignment.ramp_seconds)
        self._wait_for_ramp(assignment.ramp_seconds)
        self._began = time.monotonic()
        self._speed.reset()
        self._enter(stage)
        watch = None if until is None else SteadyWatch(until, self._crew)
        outcomes = self._crew.wait_outcomes(
            self._bound(assignment), (lambda: None) if watch is None else watch.look
        )
        caches = self._caches.end(self._began)
        may_repeat, lost = self._mark.may_repeat, bool(self._crew.lost)
        self._mark = self._mark.after([outcome for _, outcome in outcomes], lost=lost)
        self._dismiss_users(assignment, rate)
        steady = None if watch is None else watch.is_steady
        return _Played(began, outcomes, caches, steady, may_repeat)

    def _dismiss_users(self, assignment: Assignment, rate: int) -> None:
        self._crew.conclude()
        self._crew.spawn(0, AT_ONCE_RATE)
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._crew.wait_empty(spawning + _GRACE_SECONDS)

    def _bound(self, assignment: Assignment) -> float | None:
        """Return the seconds after which an outcome is late; None if nobody can know."""
        if assignment.seconds is None:
            return None
        # In an open loop a request may wait for a connection as long as for its answer.
        return assignment.seconds + 2 * self._plan.workload.timeout_seconds + _GRACE_SECONDS

    def _wait_for_ramp(self, seconds: int) -> None:
        """Wait until a planned rate is reached; the workers need no word for it."""
        if seconds:
            over = time.monotonic() + seconds
            self._crew.wait(lambda: time.monotonic() >= over)

    def _enter(self, stage: str) -> None:
        if stage != self._stage:
            self._stage = stage
            where = self._pass.id if self._pass else "-"
            _logger.info("benchmark=%s pass=%s stage=%s", self._plan.benchmark, where, stage)


def _renamed(outcome: WorkerOutcome, names: RequestNames) -> WorkerOutcome:
    """Return an outcome with few names: each worker has met others first."""
    requests = [
        each.model_copy(update={"request": names.kept(each.request)}) for each in outcome.requests
    ]
    return outcome.model_copy(update={"requests": requests})
