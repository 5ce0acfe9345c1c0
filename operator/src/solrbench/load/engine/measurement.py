"""What is measured of one step run on one worker: its requests, and what they cost the worker."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from solrbench.load.engine.resource_usage import UsageMeter
from solrbench.load.errors import LoadError
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.request_stats import RecentRequests, RequestTotals, pack_times
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import Assignment, LiveTotals

_now = time.perf_counter_ns


class StepRunState(Enum):
    """The states of a step run, in the order in which it goes through them; it may skip some.

    The sender of an open loop goes through the same ones; a step run is over with its last user.

    ```
    WAITING ──┬─► RAMPING ──┬─► MEASURING ──► STOPPING ──► FINISHED
              └─────────────┘        any of these ──► ABORTED
    ```
    """

    WAITING = auto()
    """Users connect and send nothing, until those of all workers are there."""
    RAMPING = auto()
    """Users send; what they send is not measured yet."""
    MEASURING = auto()
    """What users send is measured."""
    STOPPING = auto()
    """No request starts any more; those in flight are finished."""
    FINISHED = auto()
    """Everything is counted."""
    ABORTED = auto()
    """Dropped without a result."""

    @property
    def is_over(self) -> bool:
        """Say whether nothing is sent or counted any more."""
        return self is StepRunState.FINISHED or self is StepRunState.ABORTED


class UsersReady(NamedTuple):
    """All users of a step run are there; those at a barrier have connected."""

    key: str


class ProgressUpdate(NamedTuple):
    """The step run under way, once a second."""

    key: str
    step: str
    """Step and variant, as people read them."""
    totals: LiveTotals
    seconds: list[tuple[str, RequestTotals]]
    """What was counted since the last time, by request name."""
    recent: RecentRequests
    """The same over all request names, for the live view of all workers."""


EngineReport = UsersReady | ProgressUpdate | WorkerStepResult | LoadError
"""What an engine reports: its users of a step run are there, a second has passed, the step run has
ended, or the engine cannot go on. The counterpart of `EngineCommand`."""


@dataclass(eq=False, repr=False)
class StepRunMeasurement:
    """Counts a step run from its begin, and measures it from a time on."""

    assignment: Assignment
    recorder: StepRunRecorder
    _meter: UsageMeter = field(default_factory=UsageMeter, init=False)

    def begin(self, at_ns: int) -> None:
        """Measure requests from a time of `time.perf_counter_ns` on, and CPU time from now on."""
        self._meter.begin()
        self.recorder.measure_from(at_ns)

    def end(self) -> None:
        """Measure no CPU time from now on: no request is begun any more; the first call counts."""
        self._meter.end()

    def progress(
        self, users: int, *, last: bool = False, response_buckets: Iterable[int] | None = None
    ) -> ProgressUpdate:
        """Return what happened since the last call; `last` ends the current second early.

        `response_buckets` are the response times since then, if there are such: one bucket each.
        """
        self._meter.tick()
        seconds = self.recorder.take_finished_seconds(_now(), last=last)
        single = [count for _, count in seconds if not count.is_transaction]
        buckets: Counter[int] = Counter(response_buckets)
        if response_buckets is None:
            for each in single:
                buckets.update(each.buckets)
        recent = RecentRequests(
            sum(each.requests for each in single),
            sum(each.failures for each in single),
            pack_times(buckets),
        )
        totals = LiveTotals(users, *self.recorder.totals())
        return ProgressUpdate(self.assignment.key, self.assignment.label, totals, seconds, recent)

    def result(
        self,
        users: int,
        used_numbers: Iterable[int] = (),
        *,
        queries_exhausted: bool = False,
        sending_ended_ns: int = 0,
    ) -> WorkerStepResult:
        """Return the result; everything must be counted and the last second taken.

        `sending_ended_ns` is when a request was refused for the first time, 0 if none was.
        """
        recorder, sending_seconds = self.recorder, None
        first_seconds = last_seconds = None
        if recorder.last_ns:
            first_seconds = (recorder.first_ns - recorder.origin_ns) / SECOND_NS
            last_seconds = (recorder.last_ns - recorder.origin_ns) / SECOND_NS
        if self.assignment.seconds is not None and not queries_exhausted:
            sending_seconds = float(self.assignment.seconds)
        elif sending_ended_ns:
            # It may have ended in the ramp.
            sending_seconds = max(sending_ended_ns - recorder.origin_ns, 0) / SECOND_NS
        return WorkerStepResult(
            **dict(self._meter.usage(users)),
            key=self.assignment.key,
            first_seconds=first_seconds,
            last_seconds=last_seconds,
            sending_seconds=sending_seconds,
            used_numbers=list(used_numbers),
            queries_exhausted=queries_exhausted,
            requests=recorder.results(),
            micro_batches=recorder.micro_batches(),
        )
