"""How near the search for users comes to the number that a simulated server holds."""

import heapq
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.harness.table import Row, at_least
from bench.statistics.capacity import MEAN_SECONDS, TRIAL_SECONDS, QueueModel
from solrbench.analysis.capacity_search import (
    CapacityEstimate,
    Trial,
    UserRange,
    estimate_users,
    next_users,
)

PROBE_USERS = 50
_MAX_TRIALS = 15
_PROBE_SECONDS = 10
_SETTLE_SECONDS = 3
_TRUTH_SECONDS = 1500
_WITHIN = UserRange(1, 10_000)
_NEAR_PERCENT = 5
_BAR = 98
_HOLDS = 87

SERVERS = {
    "4 places, p95 of 3 times the mean": QueueModel(4, 1.0, 3),
    "4 places, p95 of 10 times the mean, noise 2 %": QueueModel(4, 1.0, 10, 0.02),
    "16 places, p95 of 5 times the mean, noise 2 %": QueueModel(16, 1.0, 5, 0.02),
    "4 places, even, p95 of 5 times the mean, noise 2 %": QueueModel(4, 0.05, 5, 0.02),
}


@dataclass(frozen=True)
class ClosedLoop:
    """Users of a server who wait for their responses, and for nothing else."""

    model: QueueModel

    def excess(self, users: int, seconds: float, draw: np.random.Generator, speed: float) -> float:
        """Return the excess of a trial, as of one against the server's limit."""
        p95 = float(np.quantile(self._times(users, seconds, draw, speed), 0.95))
        return max(1 - self.model.limit_seconds / p95, -1.0)

    def capacity(self) -> int:
        """Return the most users that meet the limit over a long time."""
        low, high = 1, 10 * self.model.places * round(self.model.limit)
        while high - low > 1:
            users = (low + high) // 2
            draw = np.random.default_rng(users)
            if self.excess(users, _TRUTH_SECONDS, draw, 1.0) <= 0:
                low = users
            else:
                high = users
        return low

    def _times(
        self, users: int, seconds: float, draw: np.random.Generator, speed: float
    ) -> list[float]:
        places, end = self.model.places, _SETTLE_SECONDS + seconds
        most = int(2 * end * self.model.most) + users
        sigma = float(np.sqrt(np.log1p(self.model.variation**2)))
        mean = MEAN_SECONDS / speed
        services = iter(draw.lognormal(np.log(mean) - sigma**2 / 2, sigma, most).tolist())
        served = [(next(services), 0.0) for _ in range(min(users, places))]
        heapq.heapify(served)
        waiting = deque([0.0] * (users - len(served)))
        times: list[float] = []
        while True:
            now, came = heapq.heappop(served)
            if now > end:
                return times
            if came >= _SETTLE_SECONDS:
                times.append(now - came)
            waiting.append(now)
            heapq.heappush(served, (now + next(services), waiting.popleft()))


def user_capacity(folder: Path, count: int) -> list[Row]:
    """Search each server many times."""
    del folder
    rows = []
    for name, model in SERVERS.items():
        truth = ClosedLoop(model).capacity()
        found = [_search(ClosedLoop(model), seed) for seed in range(count)]
        rows += _rows(name, truth, found)
    return rows


def _search(server: ClosedLoop, seed: int) -> tuple[CapacityEstimate, int]:
    draw = np.random.default_rng(seed)

    def trial(users: int, seconds: float) -> Trial:
        return Trial(users, server.excess(users, seconds, draw, server.model.speed(draw)))

    probe, trials = trial(PROBE_USERS, _PROBE_SECONDS), list[Trial]()
    while (users := next_users(_WITHIN, probe, trials, _MAX_TRIALS, seed)) is not None:
        trials.append(trial(users, TRIAL_SECONDS))
    return estimate_users(trials), len(trials)


def _rows(name: str, truth: int, found: list[tuple[CapacityEstimate, int]]) -> list[Row]:
    counts: Counter[str] = Counter()
    for each, _ in found:
        if each.rate is None or each.lower is None or each.upper is None:
            counts["inconclusive"] += 1
            continue
        counts["known"] += 1
        counts["near"] += abs(each.rate - truth) <= max(_NEAR_PERCENT / 100 * truth, 1)
        counts["holds"] += each.lower <= truth <= each.upper
    known = max(counts["known"], 1)
    near, holds = 100 * counts["near"] / known, 100 * counts["holds"] / known
    trials = float(np.mean([number for _, number in found]))
    detail = (
        f"{truth} users; {counts['inconclusive']} of {len(found)} Inconclusive; {trials:.1f} trials"
    )
    what = f"users, {name}"
    return [
        at_least(
            f"{what}: within {_NEAR_PERCENT} % or 1 user, unless Inconclusive",
            near,
            _BAR,
            "{:.1f} %",
            detail,
        ),
        at_least(f"{what}: interval holds", holds, _HOLDS, "{:.1f} %"),
    ]
