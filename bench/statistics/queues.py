"""Simulated servers: some places, a queue before them, and what may go wrong in both.

Arrivals are Poisson. Searches of a server go through the product's own functions.
"""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.statistics.intervals import samples_of
from solrbench.api.v1alpha1.objectives import PROBE_SECONDS, Capacity
from solrbench.stats.capacity_line import Trial
from solrbench.stats.capacity_search import next_rate

SETTINGS = Capacity()
_TRUTH_ROUNDS = 9
_TRUTH_RUNS = 3
_TRUTH_REQUESTS = 60_000
_HOUR = 3600.0
_PAUSE = 5.0
"""Seconds between two runs, in which queues become empty."""

_SLOWER = 1.25

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ServerKind:
    """What a server is: places, mean service time and the limit of the p95 in seconds.

    Attributes:
        variation: standard deviation of service times, as a share of their mean
        noise: that of the speed from run to run, in ln
        slow_from: second of a run from which it is a quarter slower
        stall: seconds between the begins of two stalls, and length of each
        metastable: wait from which it is a quarter slower, until no request waits
        fast: share by which its other state is faster
        by_run: whether each run is in a state of its own, else each server
        cliff: rate from which every response takes ten times the limit longer
        drift: share by which it becomes slower in an hour
        times: service times to draw from instead of log-normal ones, in seconds
        has_capacity: whether trials as long as the answer says find one in time for a bench
    """

    places: int
    mean: float
    limit: float
    variation: float = 1.0
    noise: float = 0.0
    slow_from: float = math.inf
    stall: tuple[float, float] | None = None
    metastable: float = math.inf
    fast: float = 0.0
    by_run: bool = False
    cliff: float = math.inf
    drift: float = 0.0
    times: tuple[float, ...] = ()
    has_capacity: bool = True

    @property
    def most(self) -> float:
        """Requests per second with every place busy."""
        return self.places / self.mean


FAST = ServerKind(4, 0.02, 0.1, noise=0.02)
"""200 requests per second, with a noise of 2 %."""


class Server:
    """One server under test: it has a clock, and a state of its own."""

    def __init__(self, kind: ServerKind, draw: np.random.Generator) -> None:
        """Begin at the first second, in a state that is drawn."""
        self.kind, self._draw, self._clock = kind, draw, 0.0
        self.speed = self._state()

    def _state(self) -> float:
        return 1 + self.kind.fast * int(self._draw.integers(2))

    def probe(self) -> float:
        """Return the rate with every place busy."""
        count = self.kind.most * PROBE_SECONDS
        chance = float(self._draw.standard_normal()) * self.kind.variation / math.sqrt(count)
        return self.kind.most * self.speed * max(1 + chance, 0.5)

    def run(
        self, rate: float, seconds: float, ramp: float, overload: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Return when the measured requests began, and their response times.

        In the ramp the rate falls from the overload to its own.
        """
        kind, draw = self.kind, self._draw
        count = draw.poisson(rate * (ramp + seconds))
        above = draw.poisson(ramp * max(overload - rate, 0.0) / 2)
        falling = ramp * (1 - np.sqrt(draw.uniform(0, 1, above)))
        arrivals = np.sort(np.concatenate([draw.uniform(0, ramp + seconds, count), falling]))
        service = self._service(arrivals)
        ends = np.fromiter(self._ends(arrivals.tolist(), service.tolist()), float)
        self._clock += ramp + seconds + _PAUSE
        extra = 10 * kind.limit if rate > kind.cliff * math.exp(self._noise) else 0.0
        measured = arrivals >= ramp
        return arrivals[measured] - ramp, (ends - arrivals)[measured] + extra

    def _service(self, arrivals: Floats) -> Floats:
        kind, draw = self.kind, self._draw
        self._noise = kind.noise * float(draw.standard_normal())
        state = self._state() if kind.by_run else self.speed
        if kind.times:
            return draw.choice(np.array(kind.times), len(arrivals))
        speed = state * math.exp(self._noise) / (1 + kind.drift) ** (self._clock / _HOUR)
        square = math.log(1 + kind.variation**2)
        shocks = draw.standard_normal(len(arrivals))
        slower = np.where(arrivals > kind.slow_from, _SLOWER, 1.0)
        slower *= kind.mean / speed
        times: Floats = slower * np.exp(math.sqrt(square) * shocks - square / 2)
        return times

    def _ends(self, arrivals: list[float], service: list[float]) -> Iterator[float]:
        kind, free, slow = self.kind, [0.0] * self.kind.places, False
        every, length = kind.stall or (math.inf, 0.0)
        begin = float(self._draw.uniform(0, every)) if kind.stall else 0.0
        for arrival, seconds in zip(arrivals, service, strict=True):
            start = max(free[0], arrival)
            slow = start > arrival and (slow or start - arrival > kind.metastable)
            if length and (into := (start - begin) % every) < length:
                start += length - into
            end = start + seconds * (_SLOWER if slow else 1.0)
            heapq.heapreplace(free, end)
            yield end


@cache
def held_for_an_hour(kind: ServerKind) -> float:
    """Return the highest rate at which the p95 of an hour keeps the limit."""
    steady = replace(kind, noise=0.0, fast=0.0, drift=0.0, metastable=math.inf)
    if steady != kind:
        return held_for_an_hour(steady)
    low, high = 0.2 * kind.most, 0.999 * kind.most
    for _ in range(_TRUTH_ROUNDS):
        middle = (low + high) / 2
        seconds = max(_HOUR, min(_TRUTH_REQUESTS / middle, 5 * _HOUR))
        servers = (Server(kind, np.random.default_rng(n)) for n in range(_TRUTH_RUNS))
        p95s = [np.percentile(each.run(middle, seconds, 3.0)[1], 95) for each in servers]
        low, high = (middle, high) if np.median(p95s) <= kind.limit else (low, middle)
    return min((low + high) / 2, kind.cliff)


def search_trials(server: Server, probed: float, most: int, seed: int, seconds: int) -> list[Trial]:
    """Return the trials that the product's search makes."""
    trials: list[Trial] = []
    while (rate := next_rate(probed, trials, most, seed)) is not None:
        starts, times = server.run(rate, seconds, SETTINGS.settle_seconds)
        trials.append(_trial(starts, times, seconds, server.kind.limit))
    return trials


def _trial(starts: Floats, times: Floats, seconds: float, limit: float) -> Trial:
    if not len(times):
        return Trial(1 / seconds, -1.0, is_long=False)
    samples = samples_of(starts, np.maximum((times * 1e6).astype(np.int64), 1))
    is_long = samples.percentile_interval(95) is not None
    return Trial(len(times) / seconds, excess_of(times, limit), is_long)


def excess_of(times: Floats, limit: float) -> float:
    """Return the excess of the p95 of response times in seconds."""
    return max(1 - limit / float(np.percentile(times, 95)), -1.0) if len(times) else -1.0
