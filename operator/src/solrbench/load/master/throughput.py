"""Requests per second over the last few seconds."""

from collections import deque

WINDOW_SECONDS = 5.0


class ThroughputMeter:
    """Remembers totals of the last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Forget everything: another step run begins."""
        self._seen.clear()

    def add(self, now: float, requests: int) -> None:
        """Note the total at a time in seconds."""
        if self._seen and requests < self._seen[-1][1]:
            self._seen.clear()
        if not self._seen or requests != self._seen[-1][1]:
            self._seen.append((now, requests))
        while len(self._seen) > 1 and self._seen[1][0] <= now - WINDOW_SECONDS:
            self._seen.popleft()

    def rate(self, now: float) -> float:
        """Return requests per second as of `now`; 0 when there are too few samples."""
        if len(self._seen) < 2 or self._seen[-1][0] < now - WINDOW_SECONDS:
            return 0.0
        (begin, before), (end, after) = self._seen[0], self._seen[-1]
        return (after - before) / (end - begin) if end > begin else 0.0
