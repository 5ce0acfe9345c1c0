"""The messages between master and workers, and the liveness both sides agree on.

Messages of one connection arrive in the order they were sent, so an assignment is there before
its users are spawned.

User `u` of the whole run belongs to worker `u % workers`, in the order in which the dispatcher
spawns them. Request `i` of a step run belongs to user `i % users`, so every worker gets requests in
proportion to its users, no request twice and none not at all.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import count
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.api.v1alpha1.request_mix import StepIndexing
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.load_plan import LoadPlan, PlannedStepRun
from solrbench.load.schedule.arrivals import ArrivalRate, arrival_rate
from solrbench.load.schedule.users import longest_think_seconds

READY = "solrbench-ready"
"""Worker: has its requests prepared; `worker` is its name, `classes` those of its users."""

FAILED = "solrbench-failed"
"""Worker: cannot work; `reason` and `message`."""

COMMAND = "solrbench-command"
"""Master: `command` as JSON, one of `Command`."""

SPAWNED = "solrbench-spawned"
"""Worker: all its users of the step run `key` are there."""

PROGRESS = "solrbench-progress"
"""Worker, once a second while its engine lives: `key`, and the fields of a `LiveTotals` as
`totals`, of a `RecentRequests` as `recent`."""

RESULT = "solrbench-outcome"
"""Worker: the step run is over; `outcome` as JSON."""

WORKER_SILENT_SECONDS = 8
"""A worker whose heartbeat stays away for so long is lost."""

MASTER_SILENT_SECONDS = 12
"""A master whose heartbeat stays away for so long is lost."""

ENGINE_SILENT_SECONDS = 20
"""A worker whose engine reports nothing for so long during a step run is lost."""


class LiveTotals(NamedTuple):
    """The step run under way, as of the last second: of one worker or of all."""

    users: int
    requests: int
    """Measured requests so far; those of the ramp while it lasts."""
    failures: int
    sum_microseconds: int
    """Service times of the measured requests."""


WARM_UP = "warm-up"

STEP_DOCUMENTS = "solrbench-step-"
"""What ids of documents begin with that steps add; no document of a dataset does."""


class Start(StrEnum):
    """When users begin, and from when on they are measured."""

    BARRIER = "Barrier"
    """All at once, when the last user of the last worker is there; measured from then on."""
    RAMP = "Ramp"
    """Each as soon as it is spawned; measured when the last one is there."""
    IMMEDIATE = "AtOnce"
    """Each as soon as it is spawned; measured from its first request on."""


class Assignment(Model):
    """One step run as one worker sees it: the command to begin it."""

    command: Literal["Assignment"] = "Assignment"
    key: str
    """Names the step run, and its warm-up apart from it, in messages."""
    repeat: int
    variant: str = ""
    """Name of the variant to go through; empty without variants."""
    step: str
    """Name of the step; `warm-up` for a warm-up."""
    worker: int
    """Place of the worker, from 0."""
    workers: int
    users: int
    """Users of the whole run; one for each worker stands for the arrivals of a planned rate."""
    open_loop: ArrivalRate | None = None
    """What is planned of the whole run; None in a closed loop."""
    start: Start
    requests: int | None = None
    """Requests of the whole run; without end when absent."""
    seconds: int | None = None
    """Time to start requests for, once measuring begins."""
    think_time: ThinkTime | None = None
    pacing_milliseconds: int | None = None
    indexing: StepIndexing | None = None
    """Documents that are added in place of the requests of the workload."""
    attempt: int = 1
    offsets: list[int] = []
    """For each entry of the workload the number of its first request: requests before this step run
    of the same ladder, or a little more where workers differed in speed."""

    @property
    def is_warm_up(self) -> bool:
        """Whether its requests are in no result; a step may be called warm-up, too."""
        return WARM_UP in self.key.split("/")[1:]

    @property
    def document_prefix(self) -> str:
        """What ids of documents begin with that it adds, and those of no other, lost ones included.

        It ends with a character that is in no key: of two prefixes, none begins with the other.
        """
        return f"{STEP_DOCUMENTS}{self.attempt}-{self.key.replace('/', '-')}."

    @property
    def label(self) -> str:
        """Step and variant as Locust's page shows them."""
        return f"{self.step} ({self.variant})" if self.variant else self.step

    @property
    def worker_users(self) -> int:
        """Users of this worker."""
        return worker_share(self.users, self.worker, self.workers)

    @property
    def worker_requests(self) -> int | None:
        """Requests of this worker; None without end."""
        if self.requests is None:
            return None
        rounds, rest = divmod(self.requests, self.users)
        return rounds * self.worker_users + worker_share(rest, self.worker, self.workers)

    def offset_of(self, entry_index: int) -> int:
        """Return the number of the first request of the entry at `entry_index`."""
        return self.offsets[entry_index] if entry_index < len(self.offsets) else 0

    @property
    def ramp_seconds(self) -> int:
        """Time from the begin to the planned rate; 0 in a closed loop."""
        return self.open_loop.ramp_seconds if self.open_loop is not None else 0

    def request_numbers(self) -> Iterator[int]:
        """Yield the numbers of this worker's requests within the whole run, ascending."""
        for start in count(0, self.users):
            yield from range(start + self.worker, start + self.users, self.workers)


class AdoptUsers(Model):
    """Inform a worker which users of a lost one Locust gives it next."""

    command: Literal["AdoptUsers"] = "AdoptUsers"
    key: str
    users: list[int]
    """Numbers of the users in the whole run."""


class StartMeasuring(Model):
    """Let a worker measure a step run from now on; users at the barrier start."""

    command: Literal["StartMeasuring"] = "StartMeasuring"
    key: str


class StopSending(Model):
    """Let a worker begin no more requests of a step run; its result follows the last response."""

    command: Literal["StopSending"] = "StopSending"
    key: str


class Abort(Model):
    """Let a worker drop a step run without a result; it may be assigned again with another key."""

    command: Literal["Abort"] = "Abort"
    key: str


class Exit(Model):
    """Let a worker's process end, whatever it does."""

    command: Literal["Exit"] = "Exit"
    exit_code: int


EngineCommand = Assignment | AdoptUsers | StartMeasuring | StopSending | Abort
"""What the master commands an engine. An assignment begins its step run and drops the one before.
The others are for the step run with their key; an engine that is in another one ignores them, since
they may have crossed its result on the way."""

Command = Annotated[EngineCommand | Exit, Field(discriminator="command")]
"""What the master commands a worker: a value that every layer on its way only passes on.

`DistributedStepRun` and `WorkerPool` send it; an engine interprets it, the worker itself an `Exit`.
"""

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Command)


def command_data(command: Command) -> dict[str, str]:
    """Return the data of a `COMMAND` message."""
    return {"command": command.model_dump_json()}


def parse_command(data: Mapping[str, str]) -> Command:
    """Return the command in the data of a `COMMAND` message."""
    return _COMMANDS.validate_json(data["command"])


def worker_share(total: int, worker: int, workers: int) -> int:
    """Return how many of `range(total)` leave the remainder `worker` when divided by `workers`."""
    return (total - worker + workers - 1) // workers


def warm_up_assignment(plan: LoadPlan, planned: PlannedStepRun) -> Assignment | None:
    """Return the warm-up before a step run, as worker 0 sees it; None without one."""
    if plan.warm_up is None:
        return None
    until = plan.warm_up.until_steady
    return Assignment(
        key=f"{planned.id}/{WARM_UP}",
        repeat=planned.repeat,
        variant=planned.variant,
        step=WARM_UP,
        worker=0,
        workers=plan.workers,
        users=plan.warm_up.users or planned.step.users or plan.workers,
        start=Start.BARRIER,
        attempt=plan.attempt,
        requests=plan.warm_up.requests,
        seconds=plan.warm_up.duration_seconds if until is None else until.max_seconds,
        # Queries would warm up what the step does not use.
        indexing=planned.step.indexing,
    )


def step_assignment(plan: LoadPlan, planned: PlannedStepRun) -> Assignment:
    """Return a step run as worker 0 sees it."""
    step, start = planned.step, Start.BARRIER
    if step.spawn_rate is not None:
        start = Start.IMMEDIATE if step.duration_seconds is None else Start.RAMP
    return Assignment(
        key=planned.id,
        repeat=planned.repeat,
        variant=planned.variant,
        step=step.name,
        worker=0,
        workers=plan.workers,
        users=step.users or plan.workers,
        open_loop=arrival_rate(step, planned.ramp_from_requests_per_second),
        start=start,
        requests=step.requests,
        seconds=step.duration_seconds,
        think_time=step.think_time,
        pacing_milliseconds=step.pacing_milliseconds,
        indexing=step.indexing,
        attempt=plan.attempt,
    )


def longest_drain_seconds(assignment: Assignment, workload: Workload) -> float:
    """Return the longest time from the end of a step to its last response, in seconds.

    Users end with the request under way, which may be sent once more. Arrivals of an open loop are
    carried to their end: each request may wait for a connection as long as for its response, and
    those of a transaction come one after another, with their think times in between.
    """
    timeout = 2.0 * workload.timeout_seconds
    if assignment.open_loop is None:
        return timeout
    chains = [each.transaction.requests for each in workload.entries if each.transaction]
    longest = (
        sum(timeout + longest_think_seconds(each.think_time) for each in chain) for chain in chains
    )
    return max(longest, default=timeout)
