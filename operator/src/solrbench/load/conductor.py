"""The order of events of a run: workers, then every pass with its warm-up."""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from itertools import count

from solrbench.load.assignment import Assignment, Start, step_assignment, warm_up_assignment
from solrbench.load.crew import Crew, PassSpoiledError
from solrbench.load.failures import LoadFailure
from solrbench.load.merging import PassRecord, merge_outcomes
from solrbench.load.outcome import WorkerOutcome
from solrbench.load.request_names import RequestNames
from solrbench.load.speedometer import Speedometer
from solrbench.load.store import ResultStore
from solrbench.plan.load_plan import LoadPlan, LoadState, PlannedPass

AT_ONCE_RATE = 1_000_000
"""Users per second that make every dispatch a single one."""

_GRACE_SECONDS = 30.0
_SPAWNS_PER_SECOND = 500
"""What even a busy worker manages; bounds the wait for users that are spawned at once."""

_logger = logging.getLogger(__name__)


class Conductor:
    """Runs the plan.

    `utc_now` gives the time that documents carry; `prepare` is called once when all workers are
    there and raises `LoadFailure` if the run cannot begin.
    """

    def __init__(
        self,
        plan: LoadPlan,
        crew: Crew,
        store: ResultStore,
        prepare: Callable[[], None],
        utc_now: Callable[[], datetime],
    ) -> None:
        self._plan = plan
        self._crew = crew
        self._store = store
        self._prepare = prepare
        self._utc_now = utc_now
        self._stage = "WaitingForWorkers"
        self._pass: PlannedPass | None = None
        self._began: float | None = None
        self._speed = Speedometer()
        self._failure: LoadFailure | None = None
        self._sent = 0
        self._names = RequestNames()

    @property
    def is_over(self) -> bool:
        """Say whether every pass is measured or the run has failed."""
        return self._stage in ("Finished", "Failed")

    def run(self) -> None:
        """Measure every pass of the plan.

        Raises:
            LoadFailure: the run cannot go on; finished documents stay in the store

        """
        self._crew.gather()
        self._prepare()
        ladder = None
        for planned in self._plan.passes:
            self._pass = planned
            warmed_up = 0
            if (planned.repeat, planned.variant) != ladder:
                ladder = (planned.repeat, planned.variant)
                self._sent = 0
                warmed_up = self._warm_up(planned)
            self._measure(planned, warmed_up)
        self._pass = None
        self._enter("Finished")

    def fail(self, failure: LoadFailure) -> None:
        """Show a failure from now on."""
        self._failure = failure
        self._enter("Failed")

    def state(self) -> LoadState:
        """Return the answer of `GET /solrbench/state`."""
        figures = self._crew.figures
        now = time.monotonic()
        self._speed.note(now, figures.requests)
        running = self._pass is not None and not self.is_over
        return LoadState(
            stage=self._stage,
            workers=self._crew.connected,
            pass_id=self._pass.id if self._pass and running else None,
            repeat=self._pass.repeat if self._pass and running else None,
            variant=self._pass.variant or None if self._pass and running else None,
            step=self._pass.step.name if self._pass and running else None,
            users=self._crew.users if running else 0,
            requests=figures.requests if running else 0,
            failures=figures.failures if running else 0,
            requests_per_second=self._speed.rate(now) if running else 0.0,
            elapsed_seconds=now - self._began if running and self._began is not None else 0.0,
            unacknowledged=self._store.unacknowledged,
            reason=self._failure.reason if self._failure else None,
            message=self._failure.message if self._failure else None,
        )

    def _warm_up(self, planned: PlannedPass) -> int:
        assignment = warm_up_assignment(self._plan, planned)
        if assignment is None:
            return 0
        _, outcomes = self._play(assignment, AT_ONCE_RATE, "WarmingUp")
        return sum(outcome.measured for _, outcome in outcomes)

    def _measure(self, planned: PlannedPass, warmed_up: int) -> None:
        assignment = step_assignment(self._plan, planned, self._sent)
        rate = planned.step.spawn_rate or AT_ONCE_RATE
        began, outcomes = self._play(assignment, rate, "Measuring")
        record = PassRecord(self._plan.attempt, began, warmed_up, tuple(self._crew.lost))
        if self._plan.workload.locustfile is not None:
            outcomes = [(worker, _renamed(each, self._names)) for worker, each in outcomes]
        self._store.add(merge_outcomes(planned, outcomes, record))

    def _play(
        self, assignment: Assignment, rate: int, stage: str
    ) -> tuple[datetime, list[tuple[str, WorkerOutcome]]]:
        """Run one pass, again if need be; return when it began to be measured, and the outcomes."""
        for again in count():
            key = f"{assignment.key}/again-{again}" if again else assignment.key
            try:
                return self._try(assignment.model_copy(update={"key": key}), rate, stage)
            except PassSpoiledError as spoiled:
                _logger.warning("pass=%s is run again: %s", assignment.key, spoiled)
                self._crew.abandon()
                self._dismiss_users(assignment, rate)
        raise AssertionError  # count() has no end

    def _try(
        self, assignment: Assignment, rate: int, stage: str
    ) -> tuple[datetime, list[tuple[str, WorkerOutcome]]]:
        self._speed.reset()
        self._began = None
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._crew.assign(assignment)
        self._enter("WarmingUp" if stage == "WarmingUp" else "Ramping")
        self._crew.spawn(assignment.users, rate)
        if assignment.start is not Start.AT_ONCE:
            connecting = self._plan.workload.timeout_seconds
            self._crew.wait_spawned(spawning + connecting + _GRACE_SECONDS)
            self._crew.go()
        began = self._utc_now()
        self._began = time.monotonic()
        self._speed.reset()
        self._enter(stage)
        outcomes = self._crew.wait_outcomes(self._bound(assignment))
        self._sent += sum(outcome.sent for _, outcome in outcomes)
        self._dismiss_users(assignment, rate)
        return began, outcomes

    def _dismiss_users(self, assignment: Assignment, rate: int) -> None:
        self._crew.conclude()
        self._crew.spawn(0, AT_ONCE_RATE)
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._crew.wait_empty(spawning + _GRACE_SECONDS)

    def _bound(self, assignment: Assignment) -> float | None:
        """Return the seconds after which an outcome is late; None if nobody can know."""
        if assignment.seconds is None:
            return None
        return assignment.seconds + self._plan.workload.timeout_seconds + _GRACE_SECONDS

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
