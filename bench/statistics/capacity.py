"""How near the search comes to the limit of servers that is known.

`capacity` searches simulated servers by the product's own functions, many times. Their speed is
drawn anew for each trial (its noise), and they may stand still now and then. `capacity_of_server`
searches a real one on loopback with master, worker and open loop.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row, at_least, share_row, within
from bench.servers.running import python_server
from bench.statistics.queues import (
    FAST,
    SETTINGS,
    Server,
    ServerKind,
    held_for_an_hour,
    search_trials,
)
from solrbench.analysis.capacity_trials import read_trial
from solrbench.analysis.samples import RunSamples
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.objectives import Capacity, Objective, ResponseTimeLimit
from solrbench.stats.capacity_estimate import CapacityEstimate, estimate
from solrbench.stats.capacity_line import Trial

QUIET: Mapping[str, ServerKind] = {
    "200/s, noise 0": replace(FAST, noise=0.0),
    "200/s, noise 2 %": FAST,
    "800/s, noise 2 %": replace(FAST, places=16),
    "200/s even, noise 2 %": replace(FAST, variation=0.05, limit=0.06),
}
WITH_INTERFERENCE: Mapping[str, ServerKind] = {
    "200/s, noise 5 %": replace(FAST, noise=0.05),
    "200/s, noise 10 %": replace(FAST, noise=0.10),
    "800/s, stall of 0.2 s each 10 s": replace(FAST, places=16, stall=(10.0, 0.2)),
    "800/s, stall of 0.5 s each 30 s": replace(FAST, places=16, stall=(30.0, 0.5)),
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


def search(kind: ServerKind, most: int, seed: int) -> tuple[CapacityEstimate, int]:
    """Return what one search finds, and its trials."""
    server = Server(kind, np.random.default_rng(seed))
    trials = search_trials(server, server.probe(), most, seed, SETTINGS.trial_seconds)
    return estimate(trials), len(trials)


def searches(kind: ServerKind, most: int, count: int) -> Searches:
    """Search servers of a kind, each once."""
    found = [search(kind, most, seed) for seed in range(count)]
    return Searches(held_for_an_hour(kind), [each for each, _ in found], [n for _, n in found])


def capacity(_folder: Path, count: int) -> list[Row]:
    """Compare searches of simulated servers with their capacity."""
    rows = []
    for most, bar in _BARS.items():
        quiet = {name: searches(kind, most, count) for name, kind in QUIET.items()}
        rows += [_row(f"capacity, {name}, <= {most} trials", each) for name, each in quiet.items()]
        rows += _bars(most, bar, list(quiet.values()))
    for name, kind in WITH_INTERFERENCE.items():
        rows.append(_wrong_row(f"capacity, {name}", searches(kind, 15, count)))
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
        share_row(f"{what}: within 2 %", near, every, bar),
        share_row(f"{what}: within 5 %, unless Inconclusive", wide, known, _WITHIN_WIDE),
        share_row(f"{what}: interval holds", hold, known, _HOLDS),
    ]


def _wrong_row(what: str, found: Searches) -> Row:
    """Return how often a disturbed server gets an interval that holds, or none."""
    right = found.holding + len(found.found) - len(found.known)
    share = 100 * right / len(found.found)
    title = f"{what}: interval holds, or Inconclusive"
    return at_least(title, share, _HOLDS, "{:.0f} %", found.describe())


def capacity_of_server(folder: Path, trials: int, seconds: int) -> list[Row]:
    """Search a real server whose places and times are known, by the real load."""
    limit = 100
    objective = Objective(
        name="fast", response_time=ResponseTimeLimit(percentile=95, max_milliseconds=limit)
    )
    settings = Capacity(max_trials=trials, trial_seconds=seconds, probe_users=32)
    plan = {
        "capacity": plain(settings),
        "objectives": [plain(objective)],
        "maxFailedPercent": 1,
        "workers": 1,
        "seed": 1,
    }
    places, timeout = 4, 60.0 + trials * (seconds + 10)
    with (
        python_server("places", folder, [str(places), str(FAST.mean)]) as server,
        product(server, folder, search=plan) as running,
    ):
        running.wait_for_stage("Measuring")
        prefer([server.pid, *running.workers])
        documents = running.documents(timeout)
        times = server.get_json("/known")
    kind = ServerKind(places, fmean(times), limit / 1000, times=tuple(times))
    found = [read_trial(RunSamples(each), [objective]) for each in documents]
    result = estimate([Trial(e.requests_per_second, e.excess) for e in found if e.number])
    return [_server_row(result, held_for_an_hour(kind), len(documents) - 1)]


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
