"""How often the search finds a capacity that a server does not hold for an hour.

Fourteen kinds of simulated servers that trials of 40 s may mistake: slow queues, servers that slow
down after minutes or stand still every few minutes, that differ from run to run, or stay slow once
they are overloaded. They are searched, and what is found is confirmed, by the product's own
functions. Where the answer is that trials are too short, it is followed: they are made as long as
it says, and the search is run again.

What a server holds is the rate at which the p95 of an hour is the limit, in its slower state.
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row, at_least, at_most
from bench.statistics.intervals import samples_of
from solrbench.analysis.capacity_search import CapacityEstimate, Trial, estimate, next_rate
from solrbench.api.v1alpha1.objectives import OVERLOAD_TRIALS, PROBE_SECONDS, Capacity
from solrbench.stats.confirmation import Confirmation, can_overload, confirm, overload_rate

_SEED = 20_261_123
_SETTINGS = Capacity()
_TRUTH_ROUNDS = 9
_TRUTH_RUNS = 3
_TRUTH_REQUESTS = 60_000
_HOUR = 3600.0
_PAUSE = 5.0
"""Seconds between two runs, in which queues become empty."""

MAX_WRONG_PERCENT = 2
MIN_FOUND_PERCENT = 90
_WRONG = 1.05

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
    has_capacity: bool = True

    @property
    def most(self) -> float:
        """Requests per second with every place busy."""
        return self.places / self.mean


_SLOWER = 1.25
_FAST = ServerKind(4, 0.02, 0.1, noise=0.02)

KINDS: Mapping[str, ServerKind] = {
    "200/s": _FAST,
    "800/s": replace(_FAST, places=16),
    "200/s, even": replace(_FAST, variation=0.05, limit=0.06),
    "5 % slower each hour": replace(_FAST, noise=0.005, drift=0.05),
    "cliff at 150/s": replace(_FAST, cliff=150.0),
    "20/s, one place, p95 of 1 s": ServerKind(1, 0.05, 1.0),
    "20/s, one place, p95 of 2 s": ServerKind(1, 0.05, 2.0),
    "40/s, CV 3, p95 of 2 s": ServerKind(2, 0.05, 2.0, variation=3.0, has_capacity=False),
    "8 places of 1 s, p95 of 10 s": ServerKind(8, 1.0, 10.0, has_capacity=False),
    "slower after 2 min": replace(_FAST, slow_from=120.0, has_capacity=False),
    "stall of 3 s every 5 min": replace(_FAST, stall=(300.0, 3.0), has_capacity=False),
    "each server in one of two states": replace(_FAST, noise=0.005, fast=0.2),
    "each run in one of two states": replace(
        _FAST, noise=0.005, fast=0.2, by_run=True, has_capacity=False
    ),
    "slow once overloaded": replace(_FAST, metastable=0.25),
}


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


def held_for_an_hour(kind: ServerKind) -> float:
    """Return the highest rate at which the p95 of an hour keeps the limit."""
    steady = replace(kind, noise=0.0, fast=0.0, drift=0.0, metastable=math.inf)
    low, high = 0.2 * kind.most, 0.999 * kind.most
    for _ in range(_TRUTH_ROUNDS):
        middle = (low + high) / 2
        seconds = max(_HOUR, min(_TRUTH_REQUESTS / middle, 5 * _HOUR))
        p95s = [
            float(
                np.percentile(
                    Server(steady, np.random.default_rng(n)).run(middle, seconds, 3.0)[1], 95
                )
            )
            for n in range(_TRUTH_RUNS)
        ]
        low, high = (middle, high) if np.median(p95s) <= kind.limit else (low, middle)
    return min((low + high) / 2, kind.cliff)


@dataclass(frozen=True)
class Found:
    """What one search says of a server.

    `speed` is how much faster it is than the slower ones of its kind.
    """

    estimate: CapacityEstimate
    confirmation: Confirmation
    speed: float
    trial_seconds: int

    @property
    def rate(self) -> float | None:
        """The rate that is said to be sustained."""
        return self.estimate.rate if self.confirmation.is_held else None

    @property
    def says_longer_trials(self) -> bool:
        """Whether the answer is to set longer trials."""
        failed = self.estimate.rate is not None and not self.confirmation.is_held
        return failed or self.estimate.is_noisy


def search(kind: ServerKind, seed: int, trial_seconds: int) -> Found:
    """Search one server, and confirm what was found."""
    server = Server(kind, np.random.default_rng([_SEED, seed]))
    probed, trials = server.probe(), list[Trial]()
    while (rate := next_rate(probed, trials, _SETTINGS.max_trials, seed)) is not None:
        starts, times = server.run(rate, trial_seconds, _SETTINGS.settle_seconds)
        trials.append(_trial(starts, times, trial_seconds, kind.limit))
    found, excesses = estimate(trials), list[float]()
    confirmation = Confirmation()
    if found.rate is not None:
        may_overload = can_overload(PROBE_SECONDS * probed)
        confirmation = confirm(excesses, found.held_excess, has_overload=may_overload)
        while (run := confirmation.next_run) is not None:
            rate, ramp = run.share * found.rate, float(OVERLOAD_TRIALS * trial_seconds)
            overload = overload_rate(rate, probed) if run.is_after_overload else 0.0
            seconds = max(_SETTINGS.confirm_seconds, trial_seconds)
            _, times = server.run(rate, seconds, ramp, overload)
            excesses.append(_excess(times, kind.limit))
            confirmation = confirm(excesses, found.held_excess, has_overload=may_overload)
    return Found(found, confirmation, 1.0 if kind.by_run else server.speed, trial_seconds)


def _trial(starts: Floats, times: Floats, seconds: float, limit: float) -> Trial:
    if not len(times):
        return Trial(1 / seconds, -1.0, is_long=False)
    samples = samples_of(starts, np.maximum((times * 1e6).astype(np.int64), 1))
    is_long = samples.percentile_interval(95) is not None
    return Trial(len(times) / seconds, _excess(times, limit), is_long)


def _excess(times: Floats, limit: float) -> float:
    return max(1 - limit / float(np.percentile(times, 95)), -1.0) if len(times) else -1.0


def held_capacity(_folder: Path, count: int) -> list[Row]:
    """Search each kind many times, and follow what the answers say of trials."""
    rows = []
    for name, kind in KINDS.items():
        speeds = {1.0} if kind.by_run else {1.0, 1 + kind.fast}
        truth = {each: held_for_an_hour(replace(kind, mean=kind.mean / each)) for each in speeds}
        first = [search(kind, seed, _SETTINGS.trial_seconds) for seed in range(count)]
        rows += _rows(f"held, {name}", kind, truth, first)
    return rows


_FOLLOWED = 3
"""How often the advice to set longer trials is followed."""


def _rows(
    what: str, kind: ServerKind, truth: Mapping[float, float], first: list[Found]
) -> list[Row]:
    def is_wrong(found: Found) -> bool:
        return (found.rate or 0.0) > _WRONG * truth[found.speed]

    last = list(first)
    for _ in range(_FOLLOWED if kind.has_capacity else 0):
        last = [
            search(kind, seed, 4 * each.trial_seconds) if each.says_longer_trials else each
            for seed, each in enumerate(last)
        ]
    count = len(first)
    errors = [100 * (e.rate / truth[e.speed] - 1) for e in last if e.rate is not None]
    lengths = Counter(each.trial_seconds for each in last)
    holds = " or ".join(f"{each:.1f}" for each in sorted(truth.values()))
    detail = (
        f"an hour holds {holds}/s; at once {sum(e.rate is not None for e in first)} found,"
        f" {sum(e.says_longer_trials for e in first)} ask for longer trials, of {count};"
        f" trials at the end: {', '.join(f'{n} of {s} s' for s, n in sorted(lengths.items()))};"
        f" error {np.mean(errors or [0]):+.1f} ± {np.std(errors or [0]):.1f} %"
    )
    wrong = 100 * sum(map(is_wrong, [*first, *(e for e in last if e not in first)])) / count
    rows = [at_most(f"{what}: > 5 % too high", wrong, MAX_WRONG_PERCENT, "{:.1f} %", detail)]
    if kind.has_capacity:
        found = 100 * sum(each.rate is not None for each in last) / count
        rows.append(at_least(f"{what}: found", found, MIN_FOUND_PERCENT, "{:.0f} %"))
    named = [each.confirmation.recovered_share is not None for each in last]
    if kind.metastable < math.inf:
        share = 100 * sum(named) / count
        rows.append(
            at_least(f"{what}: named with both rates", share, MIN_FOUND_PERCENT, "{:.0f} %")
        )
    elif any(named):
        falsely = 100 * sum(named) / count
        rows.append(at_most(f"{what}: called metastable", falsely, MAX_WRONG_PERCENT, "{:.1f} %"))
    return rows
