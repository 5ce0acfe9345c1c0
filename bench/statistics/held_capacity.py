"""How often the search finds a capacity that a server does not hold for an hour.

Sixteen kinds of simulated servers that trials of 40 s may mistake: slow queues, limits far above
what a request takes alone, servers that slow down after minutes or stand still every few minutes,
that differ from run to run, or stay slow once they are overloaded. They are searched, and what is
found is confirmed, by the product's own functions. Where the answer is that trials are too short,
it is followed: they are made as long as it says, and the search is run again.

What a server holds is the rate at which the p95 of an hour is the limit, in its slower state.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from bench.harness.table import Row, at_least, at_most
from bench.statistics.queues import (
    FAST,
    SETTINGS,
    Server,
    ServerKind,
    excess_of,
    held_for_an_hour,
    search_trials,
)
from solrbench.api.v1alpha1.objectives import OVERLOAD_TRIALS, PROBE_SECONDS
from solrbench.stats.capacity_estimate import CapacityEstimate, estimate
from solrbench.stats.confirmation import Confirmation, can_overload, confirm, overload_rate

_SEED = 20_261_123

MAX_WRONG_PERCENT = 2
MIN_FOUND_PERCENT = 90
_WRONG = 1.05

KINDS: Mapping[str, ServerKind] = {
    "200/s": FAST,
    "800/s": replace(FAST, places=16),
    "200/s, even": replace(FAST, variation=0.05, limit=0.06),
    "667/s, p95 of 83 service times": ServerKind(2, 0.003, 0.25, noise=0.02),
    "133/s, p95 of 33 service times": ServerKind(1, 0.0075, 0.25, noise=0.02),
    "5 % slower each hour": replace(FAST, noise=0.005, drift=0.05),
    "cliff at 150/s": replace(FAST, cliff=150.0),
    "20/s, one place, p95 of 1 s": ServerKind(1, 0.05, 1.0),
    "20/s, one place, p95 of 2 s": ServerKind(1, 0.05, 2.0),
    "40/s, CV 3, p95 of 2 s": ServerKind(2, 0.05, 2.0, variation=3.0, has_capacity=False),
    "8 places of 1 s, p95 of 10 s": ServerKind(8, 1.0, 10.0, has_capacity=False),
    "slower after 2 min": replace(FAST, slow_from=120.0, has_capacity=False),
    "stall of 3 s every 5 min": replace(FAST, stall=(300.0, 3.0), has_capacity=False),
    "each server in one of two states": replace(FAST, noise=0.005, fast=0.2),
    "each run in one of two states": replace(
        FAST, noise=0.005, fast=0.2, by_run=True, has_capacity=False
    ),
    "slow once overloaded": replace(FAST, metastable=0.25),
}


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
        share = self.confirmation.held_share
        return None if share is None or self.estimate.rate is None else share * self.estimate.rate

    @property
    def says_longer_trials(self) -> bool:
        """Whether the answer is to set longer trials."""
        failed = self.estimate.rate is not None and self.confirmation.held_share is None
        return failed or self.estimate.is_noisy


def search(kind: ServerKind, seed: int, trial_seconds: int) -> Found:
    """Search one server, and confirm what was found."""
    server = Server(kind, np.random.default_rng([_SEED, seed]))
    probed = server.probe()
    trials = search_trials(server, probed, SETTINGS.max_trials, seed, trial_seconds)
    found, excesses = estimate(trials), list[float]()
    confirmation = Confirmation()
    if found.rate is not None:
        may_overload = can_overload(PROBE_SECONDS * probed)
        confirm_all = partial(
            confirm,
            excesses,
            found.held_excess,
            has_overload=may_overload,
            may_lower=found.is_steep,
        )
        confirmation = confirm_all()
        while (run := confirmation.next_run) is not None:
            rate, ramp = run.share * found.rate, float(OVERLOAD_TRIALS * trial_seconds)
            overload = overload_rate(rate, probed) if run.is_after_overload else 0.0
            seconds = max(SETTINGS.confirm_seconds, trial_seconds)
            _, times = server.run(rate, seconds, ramp, overload)
            excesses.append(excess_of(times, kind.limit))
            confirmation = confirm_all()
    return Found(found, confirmation, 1.0 if kind.by_run else server.speed, trial_seconds)


def held_capacity(_folder: Path, count: int) -> list[Row]:
    """Search each kind many times, and follow what the answers say of trials."""
    rows = []
    for name, kind in KINDS.items():
        speeds = {1.0} if kind.by_run else {1.0, 1 + kind.fast}
        truth = {each: held_for_an_hour(replace(kind, mean=kind.mean / each)) for each in speeds}
        first = [search(kind, seed, SETTINGS.trial_seconds) for seed in range(count)]
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
        title = f"{what}: named with both rates"
        rows.append(at_least(title, share, MIN_FOUND_PERCENT, "{:.0f} %"))
    elif any(named):
        falsely = 100 * sum(named) / count
        rows.append(at_most(f"{what}: called metastable", falsely, MAX_WRONG_PERCENT, "{:.1f} %"))
    return rows
