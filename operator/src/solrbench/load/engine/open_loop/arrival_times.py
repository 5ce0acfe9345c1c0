"""When the requests of an open loop are due, by the clock."""

from collections.abc import Iterator

from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.schedule.arrivals import Schedule, SendingTime


class ArrivalTimes:
    """The arrivals of one worker, one after another. Times are of `time.perf_counter_ns`.

    Attributes:
        next_ns: when the next arrival is due; after the last one, a time that never comes
        sending: when all workers send, since the begin of the schedule; None before the last
            arrival of this one, and unless their number is planned

    """

    __slots__ = ("_offsets_ns", "_ramp_ns", "_started_ns", "next_ns", "sending")

    def __init__(self, schedule: Schedule) -> None:
        self._offsets_ns = self._until_end(schedule)
        self._ramp_ns = schedule.rate.ramp_ns
        self._started_ns = 0
        self.next_ns = NEVER_NS
        self.sending: SendingTime | None = None

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

    def sending_ended_ns(self) -> int | None:
        """Return the planned end of the arrivals of all workers; None if it is not known."""
        return None if self.sending is None else self._started_ns + self.sending.end_ns

    def _until_end(self, schedule: Schedule) -> Iterator[int]:
        self.sending = yield from schedule.arrival_times_ns()
