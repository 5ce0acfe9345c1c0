"""How near the search comes to the limit of servers that is known.

`capacity` searches simulated servers by the product's own functions, many times: some places, a
queue before them, log-normal or even service times. Arrivals are Poisson. The speed of a server is
drawn anew for each trial (its noise), and it may stand still now and then. `capacity_of_server`
searches a real one on loopback with master, worker and open loop.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row, at_least, within
from bench.servers.running import python_server
from solrbench.analysis.capacity import read_trial
from solrbench.analysis.capacity_search import CapacityEstimate, Trial, estimate, next_rate
from solrbench.analysis.samples import RunSamples
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.objectives import Capacity, Objective, ResponseTimeLimit

MEAN_SECONDS = 0.02
"""Mean service time."""

_TRUTH_REQUESTS = 200_000
_TRUTH_ROUNDS = 9


@dataclass(frozen=True)
class QueueModel:
    """The server: `places` requests are served at once.

    Attributes:
        variation: standard deviation of service times, as a share of their mean
        limit: longest p95 of the response times, in mean service times
        noise: standard deviation of the speed from trial to trial, in ln
        stall: seconds between the begins of two stalls, and length of each
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


TRIAL_SECONDS = Capacity().trial_seconds

QUIET: Mapping[str, QueueModel] = {
    "200/s, noise 0": QueueModel(4, 1.0, 5),
    "200/s, noise 2 %": QueueModel(4, 1.0, 5, 0.02),
    "800/s, noise 2 %": QueueModel(16, 1.0, 5, 0.02),
    "200/s even, noise 2 %": QueueModel(4, 0.05, 3, 0.02),
}
WITH_INTERFERENCE: Mapping[str, QueueModel] = {
    "200/s, noise 5 %": QueueModel(4, 1.0, 5, 0.05),
    "200/s, noise 10 %": QueueModel(4, 1.0, 5, 0.10),
    "800/s, stall of 0.2 s each 10 s": QueueModel(16, 1.0, 5, 0.02, (10, 0.2)),
    "800/s, stall of 0.5 s each 30 s": QueueModel(16, 1.0, 5, 0.02, (30, 0.5)),
}

_BARS = {15: 80, 25: 92}
"""Least share of searches within 2 %, by the most trials."""

_NEAR, _WIDE = 0.02, 0.05
_WITHIN_WIDE = 98
_HOLDS = 87


@dataclass(frozen=True)
class Searches:
    """What many searches of one server found, in how many trials each; `truth` is its capacity."""

    truth: float
    found: Sequence[CapacityEstimate]
    trials: Sequence[int]

    @property
    def known(self) -> list[CapacityEstimate]:
        """Those that are not inconclusive."""
        return [each for each in self.found if each.rate is not None]

    def within(self, share: float) -> int:
        """Return how many are so near to the truth."""
        rates = [each.rate for each in self.known if each.rate is not None]
        return sum(abs(math.log(rate / self.truth)) <= share for rate in rates)

    @property
    def holding(self) -> int:
        """How many intervals hold the truth."""
        return sum((each.lower or 0) <= self.truth <= (each.upper or 0) for each in self.known)

    def describe(self) -> str:
        """Return the counts behind the bars."""
        known = len(self.known)
        halves = [math.log((e.upper or 1) / (e.lower or 1)) / 2 for e in self.known]
        half = f"±{100 * float(np.median(halves)):.1f} %" if halves else "-"
        return (
            f"{self.within(_NEAR)} within 2 %, {self.within(_WIDE)} within 5 %,"
            f" {self.holding} intervals hold ({half}), of {known};"
            f" {len(self.found) - known} Inconclusive; {float(np.mean(self.trials)):.1f} trials"
        )


def search(model: QueueModel, most: int, seed: int) -> tuple[CapacityEstimate, int]:
    """Return what one search finds, and its trials."""
    draw = np.random.default_rng(seed)
    probed = model.most * model.speed(draw)
    trials: list[Trial] = []
    while (rate := next_rate(probed, trials, most, seed)) is not None:
        p95, offered = model.trial(rate, TRIAL_SECONDS, draw, model.speed(draw))
        trials.append(Trial(offered, max(1 - model.limit_seconds / p95, -1.0)))
    return estimate(trials), len(trials)


def searches(model: QueueModel, most: int, count: int) -> Searches:
    """Search a server many times."""
    found = [search(model, most, seed) for seed in range(count)]
    return Searches(model.capacity(), [each for each, _ in found], [n for _, n in found])


def capacity(_folder: Path, count: int) -> list[Row]:
    """Compare searches of simulated servers with their capacity."""
    rows = []
    for most, bar in _BARS.items():
        quiet = {name: searches(model, most, count) for name, model in QUIET.items()}
        rows += [_row(f"capacity, {name}, <= {most} trials", each) for name, each in quiet.items()]
        rows += _bars(most, bar, list(quiet.values()))
    for name, model in WITH_INTERFERENCE.items():
        rows.append(_wrong_row(f"capacity, {name}", searches(model, 15, count)))
    return rows


def _row(what: str, found: Searches) -> Row:
    share = 100 * found.within(_NEAR) / len(found.found)
    return Row(what, "", f"{share:.0f} % within 2 %", None, found.describe())


def _bars(most: int, bar: int, found: Sequence[Searches]) -> list[Row]:
    every = sum(len(each.found) for each in found)
    known = sum(len(each.known) for each in found)
    near = sum(each.within(_NEAR) for each in found)
    wide = sum(each.within(_WIDE) for each in found)
    hold = sum(each.holding for each in found)
    what = f"capacity, noise <= 2 %, <= {most} trials"
    return [
        _share_row(f"{what}: within 2 %", near, every, bar),
        _share_row(f"{what}: within 5 %, unless Inconclusive", wide, known, _WITHIN_WIDE),
        _share_row(f"{what}: interval holds", hold, known, _HOLDS),
    ]


def _wrong_row(what: str, found: Searches) -> Row:
    """Return how often a disturbed server gets an interval that holds, or none."""
    right = found.holding + len(found.found) - len(found.known)
    share = 100 * right / len(found.found)
    title = f"{what}: interval holds, or Inconclusive"
    return at_least(title, share, _HOLDS, "{:.0f} %", found.describe())


def _share_row(what: str, part: int, whole: int, bar: float) -> Row:
    share = 100 * part / whole if whole else 0.0
    return at_least(what, share, bar, "{:.1f} %", f"{part} of {whole}")


def capacity_of_server(folder: Path, trials: int, seconds: int) -> list[Row]:
    """Search a real server whose places and times are known, by the real load."""
    limit = 100
    objective = Objective(
        name="fast", response_time=ResponseTimeLimit(percentile=95, max_milliseconds=limit)
    )
    settings = Capacity(max_trials=trials, trial_seconds=seconds, probe_users=32)
    plan = {"capacity": plain(settings), "objectives": [plain(objective)], "workers": 1, "seed": 1}
    places, timeout = 4, 60.0 + trials * (seconds + 10)
    with (
        python_server("places", folder, [str(places), str(MEAN_SECONDS)]) as server,
        product(server, folder, search=plan) as running,
    ):
        running.wait_for_stage("Measuring")
        prefer([server.pid, *running.workers])
        documents = running.documents(timeout)
        times = server.get_json("/known")
    model = QueueModel(places, 1.0, limit / 1000 / MEAN_SECONDS, times=times)
    found = [read_trial(RunSamples(each), [objective]) for each in documents]
    result = estimate([Trial(e.requests_per_second, e.excess) for e in found if e.number])
    return [_server_row(result, model.capacity(), len(documents) - 1)]


def _server_row(result: CapacityEstimate, truth: float, trials: int) -> Row:
    what = "capacity of a server on loopback"
    if result.rate is None or result.lower is None or result.upper is None:
        return Row(what, "within 5 %", "Inconclusive", None, result.problem)
    error = 100 * abs(math.log(result.rate / truth))
    detail = (
        f"{result.rate:.1f}/s (95 %: {result.lower:.1f} to {result.upper:.1f}),"
        f" by its own times {truth:.1f}/s, {trials} trials"
    )
    return within(what, error, 100 * _WIDE, detail)
