"""The requests that one worker may still send in a step run: how many, which, and until when."""

import sys

from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.load.workload.request_mix import RequestStream


class RequestSupply:
    """Hands out requests until their number is reached, time is up, or the queries end.

    Times are of `time.perf_counter_ns`.

    Attributes:
        stops_ns: no request starts from then on
        queries_exhausted: the queries ended before anything else did
        ended_ns: when a request was refused for the first time, 0 if none was

    """

    __slots__ = (
        "_remaining",
        "_requests",
        "_stream",
        "ended_ns",
        "queries_exhausted",
        "stops_ns",
    )

    def __init__(self, stream: RequestStream, limit: int | None = None) -> None:
        """Take requests from `stream`, `limit` at most."""
        self._stream = stream
        self._requests = stream.requests
        self._remaining = sys.maxsize if limit is None else limit
        self.stops_ns = NEVER_NS
        self.queries_exhausted = False
        self.ended_ns = 0

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do; the hot path."""
        if self._remaining <= 0 or now_ns >= self.stops_ns:
            self.ended_ns = self.ended_ns or now_ns
            return None
        request = next(self._requests, None)
        if request is None:
            self._remaining, self.queries_exhausted, self.ended_ns = 0, True, now_ns
            return None
        self._remaining -= 1
        return request

    def note_end(self, now_ns: int) -> None:
        """Learn that no request will be taken any more, though none was refused."""
        self.ended_ns = self.ended_ns or now_ns

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do."""
        return self._remaining <= 0 or now_ns >= self.stops_ns

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over, whatever else is left to do."""
        return now_ns >= self.stops_ns

    def used_numbers(self) -> list[int]:
        """Return for each entry of the workload one more than its highest number sent."""
        return self._stream.used_numbers()
