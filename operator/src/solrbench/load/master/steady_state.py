"""Ends a warm-up as soon as it is steady."""

import time
from collections.abc import Callable
from typing import Protocol

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.schedule.messages import Figures
from solrbench.results.stats.steadiness import Steadiness


class Closable(Protocol):
    """The workers in a warm-up."""

    @property
    def figures(self) -> Figures:
        """The warm-up so far, over all workers."""

    def close(self) -> None:
        """Begin no more requests."""


class SteadyWatch:
    """Looks at the figures of a warm-up, which has to begin now."""

    def __init__(
        self, until: UntilSteady, crew: Closable, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._crew = crew
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

    def look(self) -> None:
        """Take note of the figures; close the warm-up when it has become steady."""
        if self.is_steady:
            return
        figures = self._crew.figures
        passed = self._clock() - self._began
        self._steadiness.note(passed, figures.requests, figures.sum_microseconds)
        if self._steadiness.is_steady:
            self.is_steady = True
            self._crew.close()
