"""A server with a known limit: some places, a queue before them, log-normal or even service times.

Arrivals are Poisson. The speed of the server is drawn anew for each trial (its noise), and it may
stand still now and then.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

MEAN_SECONDS = 0.02
"""Mean service time."""

_TRUTH_REQUESTS = 200_000
_TRUTH_ROUNDS = 9


@dataclass(frozen=True)
class QueueModel:
    """The server.

    Attributes:
        places: requests served at once
        variation: standard deviation of service times, as a share of their mean
        limit: longest p95 of the response times, in mean service times
        noise: standard deviation of the speed from trial to trial, in ln
        stall: seconds between the begins of two stalls, and length of each; None without
        times: service times to draw from instead, in seconds
    """

    places: int
    variation: float
    limit: float
    noise: float = 0.0
    stall: tuple[float, float] | None = None
    times: Sequence[float] = ()

    @property
    def most(self) -> float:
        """Requests per second with every place busy."""
        return self.places / (fmean(self.times) if self.times else MEAN_SECONDS)

    @property
    def limit_seconds(self) -> float:
        """Longest p95 of the response times."""
        return self.limit * MEAN_SECONDS

    def speed(self, draw: np.random.Generator) -> float:
        """Return the speed in one trial."""
        return math.exp(self.noise * float(draw.standard_normal()))

    def trial(
        self,
        rate: float,
        seconds: float,
        draw: np.random.Generator,
        speed: float = 1.0,
        settle: float = 3.0,
    ) -> tuple[float, float]:
        """Return the p95 of the response times in seconds, and the rate of the arrivals."""
        count = int(draw.poisson(rate * (seconds + settle)))
        arrivals = np.sort(draw.uniform(0, seconds + settle, count))
        service = self._service(draw, count) / speed
        ends = self._ends(arrivals.tolist(), service.tolist(), float(draw.uniform(0, 1)))
        responses = (np.array(ends) - arrivals)[arrivals >= settle]
        if not len(responses):
            return MEAN_SECONDS, 1 / seconds
        return float(np.percentile(responses, 95)), len(responses) / seconds

    def capacity(self) -> float:
        """Return the rate at which the p95 of very many requests is the limit."""
        draw = np.random.default_rng(1)
        low, high = 0.2 * self.most, 0.999 * self.most
        for _ in range(_TRUTH_ROUNDS):
            middle = (low + high) / 2
            found, _ = self.trial(middle, _TRUTH_REQUESTS * 10 / middle, draw)
            low, high = (middle, high) if found <= self.limit_seconds else (low, middle)
        return (low + high) / 2

    def _service(self, draw: np.random.Generator, count: int) -> NDArray[np.float64]:
        if self.times:
            return draw.choice(np.array(self.times), count)
        if self.variation < 0.5:
            even = MEAN_SECONDS * (1 + self.variation * draw.standard_normal(count))
            return np.maximum(even, MEAN_SECONDS / 10)
        square = math.log(1 + self.variation**2)
        logarithms = math.sqrt(square) * draw.standard_normal(count) - square / 2
        return np.asarray(MEAN_SECONDS * np.exp(logarithms))

    def _ends(self, arrivals: list[float], service: list[float], phase: float) -> list[float]:
        free = [0.0] * self.places
        ends = []
        every, length = self.stall or (math.inf, 0.0)
        begin = 0.0 if self.stall is None else phase * every
        for arrival, seconds in zip(arrivals, service, strict=True):
            start = max(free[0], arrival)
            if length and (into := (start - begin) % every) < length:
                start += length - into
            ends.append(start + seconds)
            heapq.heapreplace(free, start + seconds)
        return ends
