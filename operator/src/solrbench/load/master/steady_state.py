"""Ends a warm-up as soon as it is steady, and a step whose target is gone."""

import time
from collections.abc import Callable
from typing import Protocol

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.schedule.messages import LiveTotals
from solrbench.results.model.windows import EndedEarly
from solrbench.results.stats.steadiness import Steadiness

_DIGITS = 1


class StoppableLoad(Protocol):
    """The workers in a warm-up."""

    @property
    def live_totals(self) -> LiveTotals:
        """The warm-up so far, over all workers."""

    def stop_sending(self) -> None:
        """Begin no more requests."""


class SteadyStateDetector:
    """Looks at the figures of a warm-up, which has to begin now."""

    def __init__(
        self, until: UntilSteady, load: StoppableLoad, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load = load
        self._clock = clock
        self._began = clock()
        self._steadiness = Steadiness(
            windows=until.windows,
            deviation_percent=until.deviation_percent,
            window_seconds=until.window_seconds,
            window_requests=until.window_requests,
        )
        self.is_steady = False
        """Whether the warm-up has become steady."""

    def update(self) -> None:
        """Take note of the figures; close the warm-up when it has become steady."""
        if self.is_steady:
            return
        figures = self._load.live_totals
        passed = self._clock() - self._began
        self._steadiness.add(passed, figures.requests, figures.sum_microseconds)
        if self._steadiness.is_steady:
            self.is_steady = True
            self._load.stop_sending()


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
