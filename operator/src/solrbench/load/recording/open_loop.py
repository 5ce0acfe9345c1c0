"""What is counted of planned requests besides their service times.

Response time runs from the intended start of a request to the last byte of its response, so it
holds the time in which the request could not be sent. A client that measures only from the moment
of sending leaves out the very requests that a stalled server held up ("coordinated omission", G.
Tene, How NOT to measure latency, 2013).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.load.schedule.arrivals import SendingTime
from solrbench.stats.histograms import Histogram, bucket_of, buckets_of, merge
from solrbench.stats.time_blocks import TimeBlocks

LATE_NS = 10_000_000
"""A request that is sent so long after its intended start is late: 10 ms."""

OWN_LAG_NS = 100_000
"""Delays by the worker itself from which on a request is counted without it as well: 0.1 ms."""

_BATCH = 256
_SECOND_NS = 1_000_000_000


class LatencyRecorder:
    """Times in µs, counted a few hundred at once, which costs a third of counting each."""

    def __init__(self) -> None:
        self._new: list[int] = []
        self._buckets: Counter[int] = Counter()
        self._sum = 0
        self._max = 0

    def record(self, microseconds: int) -> None:
        """Count a time; the hot path."""
        new = self._new
        new.append(microseconds)
        if len(new) >= _BATCH:
            self._count()

    @property
    def sum_microseconds(self) -> int:
        """Exact sum of all times."""
        self._count()
        return self._sum

    @property
    def max_microseconds(self) -> int | None:
        """Longest time, None without any."""
        self._count()
        return self._max if self._buckets else None

    def histogram(self, changes: Mapping[int, int] | None = None) -> Histogram:
        """Return the histogram of all times, with `changes` to the counts of its buckets."""
        self._count()
        added: Counter[int] = Counter(changes or {})
        # A sum of counters leaves out those that are 0.
        return Histogram.from_buckets(self._buckets + added)

    def percentile(self, percent: float) -> int | None:
        """Return a percentile in µs, never above the longest time; None without any."""
        value = self.histogram().percentile(percent)
        return None if value is None else min(value, self._max)

    def _count(self) -> None:
        if self._new:
            total, buckets = sum(self._new), buckets_of(self._new)
            self._sum += total
            self._max = max(self._max, *self._new)
            self._buckets.update(buckets)
            self._keep(buckets, total)
            self._new.clear()

    def _keep(self, buckets: Sequence[int], sum_microseconds: int) -> None:
        """Do what else is to be done with some times."""


class BlockedLatencyRecorder(LatencyRecorder):
    """Times in µs, by block of time as well."""

    def __init__(self) -> None:
        super().__init__()
        self._second = 0
        self._blocks = TimeBlocks()
        self._recent: list[int] = []

    def begin_second(self, number: int) -> None:
        """Count what comes from now on to the given second of the step run."""
        self._count()
        self._second = number

    def blocks(self) -> TimeBlocks:
        """Return the times by block of time."""
        self._count()
        return self._blocks

    def take_recent_buckets(self) -> list[int]:
        """Return the buckets of the times since the last call, one for each time."""
        self._count()
        recent, self._recent = self._recent, []
        return recent

    def _keep(self, buckets: Sequence[int], sum_microseconds: int) -> None:
        self._recent.extend(buckets)
        self._blocks.add_each(self._second, buckets, sum_microseconds)


@dataclass(eq=False, repr=False)
class _OpenLoopCounts:
    """One request name."""

    responses: BlockedLatencyRecorder = field(default_factory=BlockedLatencyRecorder)
    without_lag: Counter[int] = field(default_factory=Counter)
    """Changes to the buckets of the responses, if the worker itself had delayed none."""
    dropped_times: Counter[int] = field(default_factory=Counter)
    """How long those waited that were never sent, by bucket; they are in the responses, too."""
    late: int = 0
    dropped: int = 0
    ramp_dropped: int = 0

    def fields(self, failed: str | None) -> dict[str, object]:
        """Return what was counted as fields of `WorkerRequestStats`.

        `failed` is the histogram of the failures among those that were sent.
        """
        if self.dropped_times:
            waits = Histogram.from_buckets(self.dropped_times).encode()
            failed = merge([waits, *([failed] if failed else [])]).encode()
        times, changes = self.responses, self.without_lag
        without_lag = times.histogram(changes).encode() if changes else None
        return {
            "failed_time_histogram": failed,
            "response_time_histogram": times.histogram().encode(),
            "response_time_blocks": times.blocks().encode(),
            "response_time_without_lag_histogram": without_lag,
            "response_sum_microseconds": times.sum_microseconds,
            "response_max_microseconds": times.max_microseconds,
            "dropped_requests": self.dropped,
            "ramp_dropped_requests": self.ramp_dropped,
            "late_requests": self.late,
        }


@dataclass(eq=False, repr=False)
class OpenLoopRecorder:
    """All request names of one step run of an open loop.

    A request that was never sent counts with the time that it waited, else overload would look
    better the more requests it kept from being sent.
    """

    names: tuple[str, ...]
    transactions: frozenset[int] = frozenset()
    """The indexes of the names that stand for whole ones."""
    origin_ns: int = field(default=0, init=False)
    """When the ramp ends; what was to start before is not measured."""
    planned_requests: int = field(default=0, init=False)
    """Measured arrivals of the schedule so far."""
    lags: LatencyRecorder = field(default_factory=LatencyRecorder, init=False)
    """How long after its intended start a measured request was sent that found a free
    connection, in µs: what the worker itself was late."""
    sending: SendingTime | None = field(default=None, init=False)
    """When a planned number of requests is sent by all workers; None if not known."""
    _boundary_ns: int = field(default=0, init=False)
    _own_lags: dict[int, list[int]] = field(default_factory=dict, init=False)
    """Delays of at least `OWN_LAG_NS` of requests under way, by intended start: a log may have
    several at one moment."""

    def __post_init__(self) -> None:
        self._planned = [_OpenLoopCounts() for _ in self.names]

    def note_arrival(self, intended_ns: int, now_ns: int) -> None:
        """Note when the worker took up a measured arrival; what it was late is its own delay."""
        if now_ns - intended_ns >= OWN_LAG_NS:
            self._own_lags.setdefault(intended_ns, []).append(now_ns - intended_ns)

    def record(self, name: int, intended_ns: int, started_ns: int, ended_ns: int) -> None:
        """Count a measured request; the hot path."""
        if ended_ns >= self._boundary_ns:
            self._begin_second(ended_ns)
        planned = self._planned[name]
        planned.responses.record((ended_ns - intended_ns) // 1000)
        # Empty as long as the worker keeps up, so the common case costs one look.
        if self._own_lags:
            self._count_without_lag(planned, intended_ns, ended_ns)
        if started_ns - intended_ns > LATE_NS:
            planned.late += 1

    def record_dropped(self, name: int, intended_ns: int, now_ns: int) -> None:
        """Count a request, of the ramp or measured, that was given up before it was sent."""
        planned = self._planned[name]
        if intended_ns < self.origin_ns:
            planned.ramp_dropped += 1
            return
        if now_ns >= self._boundary_ns:
            self._begin_second(now_ns)
        planned.dropped += 1
        waited = (now_ns - intended_ns) // 1000
        planned.responses.record(waited)
        planned.dropped_times[bucket_of(waited)] += 1
        self._count_without_lag(planned, intended_ns, now_ns)

    def take_recent_buckets(self) -> list[int]:
        """Return the buckets of the response times since the last call, transactions left out."""
        taken = [each.responses.take_recent_buckets() for each in self._planned]
        single = (each for index, each in enumerate(taken) if index not in self.transactions)
        return list(chain.from_iterable(single))

    def _begin_second(self, now_ns: int) -> None:
        number = max(now_ns - self.origin_ns, 0) // _SECOND_NS
        self._boundary_ns = self.origin_ns + (number + 1) * _SECOND_NS
        for planned in self._planned:
            planned.responses.begin_second(number)

    def _count_without_lag(self, planned: _OpenLoopCounts, intended_ns: int, ended_ns: int) -> None:
        if lags := self._own_lags.pop(intended_ns, None):
            lag_ns, *left = lags
            if left:
                self._own_lags[intended_ns] = left
            # Only the difference to the histogram with all delays is kept: nearly always it is
            # empty, and a second histogram of every request would double what counting costs.
            planned.without_lag[bucket_of((ended_ns - intended_ns) // 1000)] -= 1
            planned.without_lag[bucket_of((ended_ns - intended_ns - lag_ns) // 1000)] += 1

    def add_to_result(
        self, result: WorkerStepResult, of_name: Callable[[int], WorkerRequestStats]
    ) -> WorkerStepResult:
        """Return the result of the step run with what only an open loop has.

        Names whose requests were all dropped are added: `of_name` makes the result of the name at
        an index.
        """
        sending, sent = self.sending, {each.request: each for each in result.requests}
        seconds = None if sending is None else (sending.end_ns - sending.first_ns) / _SECOND_NS
        figures = {
            "planned_requests": self.planned_requests,
            "planned_seconds": seconds,
            "lag_p99_microseconds": self.lags.percentile(99),
            "lag_max_microseconds": self.lags.max_microseconds,
            "requests": [
                part.model_copy(update=planned.fields(part.failed_time_histogram))
                for index, (name, planned) in enumerate(zip(self.names, self._planned, strict=True))
                if name in sent or planned.dropped or planned.ramp_dropped
                for part in (sent.get(name) or of_name(index),)
            ],
        }
        return result.model_copy(update=figures)
