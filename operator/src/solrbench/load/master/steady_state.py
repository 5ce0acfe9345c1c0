"""Ends a warm-up as soon as it is steady."""

import time
from collections.abc import Callable
from typing import Protocol

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.schedule.messages import LiveTotals
from solrbench.results.stats.steadiness import Steadiness


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
