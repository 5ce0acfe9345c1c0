"""When the requests of an open loop are sent: the schedule of a whole run, fixed in advance.

Arrivals are the points of a process with one point per unit, moved to the time at which the
cumulative rate reaches them (inversion of the cumulative rate, or time rescaling: Cinlar,
Introduction to Stochastic Processes, 1975, chapter 4; Lewis and Shedler, Simulation of
nonhomogeneous Poisson processes by thinning, 1979, section 1). The points lie 1 apart for uniform
arrivals and exponential distances apart for a Poisson process.

Every worker computes the whole schedule from the same seed and takes its share of it: together
they send every arrival once, whatever their number. Uniform arrivals and those of a log go to the
workers in turn, those of a Poisson process in a random order. A random share of a Poisson process
is one itself, and so is the sum of several, however late each begins (Kingman, Poisson Processes,
1993, sections 2.2 and 5.1). Every n-th arrival is none: two such shares that begin some
milliseconds apart have gaps that are not exponential. Times are whole nanoseconds since the begin
of the run, so that all of them are compared in the same way.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.arrivals import ArrivalDistribution, RateChange
from solrbench.api.v1alpha1.load import DEFAULT_MAX_IN_FLIGHT, Step
from solrbench.load.schedule.users import seed_of

_BLOCK = 4096
"""Arrivals computed together."""

_SECOND_NS = 1_000_000_000
_NEVER_NS = 2.0**62
"""A century and a half, which fits into 64 bits."""


class SendingTime(NamedTuple):
    """When a number of arrivals is planned, in nanoseconds since the begin of the run.

    From the first one to the time at which one more would arrive: as many gaps as arrivals.
    """

    first_ns: int
    """The first arrival after the ramp."""
    end_ns: int
    """The arrival after the last one, if the process went on."""


class ArrivalRate(Model):
    """The arrivals of one step run, ramp included."""

    requests_per_second: float
    distribution: ArrivalDistribution
    max_in_flight: int
    """Requests under way at once, over all workers."""
    ramp_seconds: int = 0
    ramp_from: float = 0.0
    """Rate at the begin of the ramp, per second."""
    changes: list[RateChange] = []
    """Times since the end of the ramp, and the rates then."""
    speed_factor: float | None = None
    """How much faster than recorded the requests of a log arrive; None without one."""
    requests: int | None = None
    """Arrivals after the ramp; None with a duration."""
    seconds: int | None = None
    """Time after the ramp; None with a number."""

    @property
    def ramp_ns(self) -> int:
        """Time of the ramp; arrivals from then on are measured."""
        return self.ramp_seconds * _SECOND_NS

    @property
    def highest(self) -> float:
        """The highest rate, per second."""
        return max(self.requests_per_second, *(c.requests_per_second for c in self.changes), 0)

    def points(self) -> NDArray[np.float64]:
        """Return the times in seconds, and the rates, between which the rate changes linearly."""
        corners = [(0.0, self.ramp_from)] if self.ramp_seconds else []
        corners.append((self.ramp_seconds, self.requests_per_second))
        corners += [(self.ramp_seconds + c.at_seconds, c.requests_per_second) for c in self.changes]
        return np.array(corners, dtype=np.float64).T


def arrival_rate(step: Step, ramp_from: float) -> ArrivalRate | None:
    """Return what a step plans, None if it has users; `ramp_from` is the rate before it."""
    if step.users is not None:
        return None
    return ArrivalRate(
        requests_per_second=step.requests_per_second or 0.0,
        distribution=step.arrival_distribution or ArrivalDistribution.POISSON,
        max_in_flight=step.max_in_flight or DEFAULT_MAX_IN_FLIGHT,
        ramp_seconds=step.ramp_seconds or 0,
        ramp_from=ramp_from if step.ramp_seconds else 0.0,
        changes=step.rate_changes,
        speed_factor=None if step.replay is None else step.replay.speed_factor,
        requests=step.requests,
        seconds=step.duration_seconds,
    )


def arrivals_seed(seed: int, repeat: int, step: str) -> int:
    """Return the seed of the arrivals of one step run; variants get the same ones."""
    return seed_of("arrivals", seed, repeat, step)


@dataclass(frozen=True)
class Schedule:
    """The part of one worker in a planned rate, which is that of the whole run."""

    rate: ArrivalRate
    seed: int
    worker: int
    """Place of the worker, from 0."""
    workers: int
    recorded_seconds: Sequence[float] = ()
    """Times of a log's requests, from 0 on, ascending."""

    def arrival_times_ns(self) -> Generator[int, None, SendingTime | None]:
        """Yield the worker's arrivals in nanoseconds since the begin of the run, ascending.

        It returns the `SendingTime` of a number of arrivals of all workers; None with a duration,
        and with a log that has no more of them.
        """
        if self.rate.speed_factor is not None:
            return (yield from self._recorded_times_ns(self.rate.speed_factor))
        begin, first, blocks = 0, None, arrivals(self.rate, self.seed)
        while True:
            try:
                block = next(blocks)
            except StopIteration as over:
                end: int | None = over.value
                return None if first is None or end is None else SendingTime(first, end)
            measured = int(np.searchsorted(block, self.rate.ramp_ns))
            if first is None and measured < len(block):
                first = int(block[measured])
            yield from block[self._owners(begin, len(block)) == self.worker].tolist()
            begin += len(block)

    def _owners(self, begin: int, size: int) -> NDArray[np.int64]:
        """Return the worker of each arrival of a block; all have equally many of it, or one more.

        So worker `w` has arrivals enough for the requests `w`, `w + workers` and so on, and all
        together send each number once.
        """
        turns = np.arange(begin, begin + size) % self.workers
        if self.rate.distribution is ArrivalDistribution.UNIFORM:
            return turns
        return np.random.default_rng((self.seed, begin)).permutation(turns)

    def _recorded_times_ns(self, speed_factor: float) -> Generator[int, None, SendingTime | None]:
        """Yield the worker's arrivals of a log, and one for which no request is left."""
        recorded, last = self.recorded_seconds, self.rate.requests
        end = math.inf if self.rate.seconds is None else self.rate.seconds * _SECOND_NS

        def at_ns(number: int) -> int:
            return int(recorded[min(number, len(recorded) - 1)] / speed_factor * _SECOND_NS)

        for number in count(self.worker, self.workers):
            at = at_ns(number)
            if at >= end or (last is not None and number >= last):
                break
            yield at
            if number >= len(recorded):
                break
        has_more = last is not None and last < len(recorded)
        return SendingTime(at_ns(0), at_ns(last)) if last is not None and has_more else None


def arrivals(plan: ArrivalRate, seed: int) -> Generator[NDArray[np.int64], None, int | None]:
    """Yield the arrivals of the whole run in blocks: nanoseconds since its begin, ascending.

    It returns the arrival after the last one of a number; None with a duration.
    """
    left = plan.requests
    for points in _unit_rate_points(plan.distribution, seed):
        times = np.minimum(_times(plan, points) * _SECOND_NS, _NEVER_NS).astype(np.int64)
        if left is None:
            end = plan.ramp_ns + (plan.seconds or 0) * _SECOND_NS
            cut = int(np.searchsorted(times, end))
        else:
            ramp = int(np.searchsorted(times, plan.ramp_ns))
            if not left:
                return int(times[0])
            cut = min(ramp + left, len(times))
            left -= cut - ramp
        yield times[:cut]
        if cut < len(times):
            return None if left is None else int(times[cut])
    return None


def _unit_rate_points(kind: ArrivalDistribution, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield the points of a process with one point per unit, without end."""
    if kind is ArrivalDistribution.UNIFORM:
        begin = 0
        while True:
            yield np.arange(begin, begin + _BLOCK, dtype=np.float64)
            begin += _BLOCK
    rng = np.random.default_rng(seed)
    last = 0.0
    while True:
        # The sum of a block stays small, so that adding rounds little in long runs.
        points = last + np.cumsum(rng.standard_exponential(_BLOCK))
        last = float(points[-1])
        yield points


def _times(plan: ArrivalRate, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the seconds at which the cumulative rate reaches `points`.

    In a segment whose rate changes from a by s each second, the cumulative rate grows by
    at + st²/2, which is solved for t in the form that loses no digits when s is small.
    """
    begins, rates = plan.points()
    widths = np.diff(begins)
    reached = np.concatenate([[0.0], np.cumsum((rates[1:] + rates[:-1]) / 2 * widths)])
    slopes = np.concatenate([np.diff(rates) / np.where(widths > 0, widths, 1), [0.0]])
    # The last segment that begins at or before a point: where two begin together, behind the jump.
    at = np.searchsorted(reached, points, side="right") - 1
    inside = points - reached[at]
    root = np.sqrt(np.maximum(rates[at] ** 2 + 2 * slopes[at] * inside, 0))
    times: NDArray[np.float64] = begins[at] + 2 * inside / np.maximum(rates[at] + root, math.ulp(0))
    return times
