"""When the requests of an open loop are due, by the clock."""

from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.schedule.arrivals import Schedule


class ArrivalTimes:
    """The arrivals of one worker, one after another. Times are of `time.perf_counter_ns`.

    Attributes:
        next_ns: when the next arrival is due; after the last one, a time that never comes

    """

    __slots__ = ("_offsets_ns", "_ramp_ns", "_started_ns", "next_ns")

    def __init__(self, schedule: Schedule) -> None:
        self._offsets_ns = schedule.arrival_times_ns()
        self._ramp_ns = schedule.rate.ramp_ns
        self._started_ns = 0
        self.next_ns = NEVER_NS

    @property
    def is_over(self) -> bool:
        """Say whether nothing arrives any more."""
        return self.next_ns == NEVER_NS

    def start(self, now_ns: int) -> int:
        """Begin the schedule; return when its ramp ends."""
        self._started_ns = now_ns
        self.advance()
        return now_ns + self._ramp_ns

    def advance(self) -> None:
        """Go on to the next arrival; the hot path."""
        following = next(self._offsets_ns, None)
        self.next_ns = NEVER_NS if following is None else self._started_ns + following

    def end(self) -> None:
        """Let nothing arrive any more."""
        self.next_ns = NEVER_NS
