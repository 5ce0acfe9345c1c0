"""A repeat of a step, cut into parts of equal length."""

from dataclasses import dataclass

from solrbench.results.model.step_result import StepRunResult, Window


@dataclass
class TimeSlice:
    """Some seconds of one repeat, all its request names together."""

    second: float
    """When it began, counted from the begin of measuring."""
    seconds: int
    requests: int = 0
    failures: int = 0
    microseconds: int = 0
    """Sum of the service times."""
    slowest_microseconds: int = 0

    @property
    def milliseconds(self) -> float | None:
        """Mean service time; None without requests."""
        return self.microseconds / self.requests / 1000 if self.requests else None

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds

    def add(self, window: Window) -> None:
        """Count the requests of a window."""
        self.requests += window.requests
        self.failures += window.failures
        self.microseconds += window.requests * (window.mean_microseconds or 0)
        longest = window.max_microseconds or 0
        self.slowest_microseconds = max(self.slowest_microseconds, longest)


def time_slices(document: StepRunResult, most: int) -> list[TimeSlice]:
    """Return the repeat in at most `most` slices; none without windows.

    A last window that is cut short by the end of the step is left out.
    """
    windows = [w for r in document.requests if not r.is_transaction for w in r.windows]
    width = document.window_seconds
    count = int(document.rate_seconds // width) if windows else 0
    each = -(-count // most) or 1
    found = [
        TimeSlice(begin * width, width * min(each, count - begin))
        for begin in range(0, count, each)
    ]
    for window in windows:
        place = window.second // width // each
        if place < len(found):
            found[place].add(window)
    return found
