"""A step run in small handfuls of responses, from which the master makes windows of a thousand.

A worker knows only its own responses, so it cannot know where a thousand of all workers ends. It
notes the end of every hundredth response (with w workers, of every 100/w-th), and the master looks
between these for the thousandth of all. With 1, 2, 4, 5, 10 or 20 workers these add up to
hundreds. With one worker every window is exact.
"""

from solrbench.load.recording.worker_result import MicroBatch
from solrbench.results.model.windows import MAX_THOUSANDS, WINDOW_REQUESTS

_ALL_WORKERS = 100
"""Responses in the micro-batches of all workers together."""

_LEAST = 5
"""Responses in a micro-batch even with very many workers, which reach a thousand in a moment."""

MAX_MICRO_BATCHES = MAX_THOUSANDS * WINDOW_REQUESTS // _ALL_WORKERS
"""Micro-batches that are kept of one step run, over all workers."""


class MicroBatches:
    """Collects the micro-batches of one step run on one worker."""

    def __init__(self, workers: int) -> None:
        self.size = max(_ALL_WORKERS // workers, _LEAST)
        """Responses that fill a micro-batch."""
        self.times: list[int] = []
        """Service times in µs of the micro-batch being filled; the hot path appends here."""
        self.failures = 0
        """Failures among them."""
        self._most = max(MAX_MICRO_BATCHES // workers, 1)
        self._kept: list[MicroBatch] = []

    def close(self, end_ns: int) -> None:
        """End the micro-batch at a time since measuring began."""
        times = self.times
        if times and len(self._kept) < self._most:
            sums = (len(times), self.failures, sum(times), max(times))
            self._kept.append(MicroBatch(end_ns // 1000, *sums))
        times.clear()
        self.failures = 0

    def take(self, end_ns: int) -> list[MicroBatch]:
        """Return all micro-batches; the last one, if begun, ends at a time since measuring."""
        self.close(end_ns)
        return self._kept
