"""Ends a step whose target is gone: nothing more can be learnt from it."""

import time
from collections.abc import Callable

from solrbench.load.master.steady_state import StoppableLoad
from solrbench.results.model.windows import EndedEarly

_DIGITS = 1


class CollapseDetector:
    """Looks at the figures of a step run, which has to begin now.

    A step run has collapsed when there was no good response for `seconds`, while requests failed.
    """

    def __init__(
        self, seconds: float, load: StoppableLoad, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._load = load
        self._clock = clock
        self._began = self._last_good = clock()
        self._good = 0
        self._failures_by_then = 0
        self.ended: EndedEarly | None = None
        """What was seen when the step run was ended; None while it goes on."""

    def update(self) -> None:
        """Take note of the figures; begin no more requests once the step run has collapsed."""
        if self.ended is not None:
            return
        figures, now = self._load.live_totals, self._clock()
        good = figures.requests - figures.failures
        if good != self._good:
            self._good, self._failures_by_then, self._last_good = good, figures.failures, now
            return
        failed = figures.failures - self._failures_by_then
        if failed > 0 and now - self._last_good >= self._seconds:
            self.ended = EndedEarly(
                second=round(now - self._began, _DIGITS),
                last_good_second=round(self._last_good - self._began, _DIGITS),
                failures=failed,
            )
            self._load.stop_sending()
