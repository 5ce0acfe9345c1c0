"""How throughput grows with users: the knee, and the peak by the Universal Scalability Law.

Throughput of a closed loop grows in proportion to its users while nothing queues, and stands still
when the bottleneck is busy: the two lines meet at X_max / (X(1) / N(1)) users (Lazowska, Zahorjan,
Graham, Sevcik, Quantitative System Performance, 1984, chapter 5). Unlike the largest distance from
a chord ("Kneedle"), that does not move with the end of the load profile.

The law says X(N) = cN / (1 + s(N - 1) + kN(N - 1)), with its peak at sqrt((1 - s) / k) (Gunther,
Guerrilla Capacity Planning, 2007, chapter 5). N / X is a polynomial of N, so the fit is one of
least squares and needs no optimiser; it does not divide by X(1), whose error would be in every
point. The law invents peaks: a server that merely saturates gets one. So a peak is stated only
where throughput was measured to decline beyond it. Runs at one level differ by more than the
blocks of a run show, so that only repeats show a decline, a peak or a knee.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, geometric_mean

import numpy as np

from solrbench.analysis.metrics import MIN_REPEATS
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepSamples
from solrbench.analysis.sentences import CONFIDENCE, name_variant
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.findings import Scalability
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.step_result import Interval, StepResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.distributions import geometric_interval
from solrbench.stats.number_format import count_noun, format_number, format_range, round_number
from solrbench.stats.tests import StudentEstimate, holm


@dataclass(frozen=True)
class Knee:
    """Where the asymptotes meet, in users."""

    at: float
    interval: tuple[float, float]

    @property
    def rounded_interval(self) -> Interval:
        """The interval with the digits that are shown."""
        lower, upper = self.interval
        return Interval(lower=round_number(lower), upper=round_number(upper))


MIN_KNEE_LEVELS = 3
"""Levels that a ladder needs to show two asymptotes."""

GROWTH = 1.5
"""How often the rate of the lowest level the highest must have: else the ladder begins too high."""

Repeats = Sequence[Mapping[int, float]]
"""Requests per second by the number of users, repeat by repeat, all with the same levels."""

_DECLINE_LEVEL = 0.005
"""Half of the 1 % of false declines: the best level is chosen after its rate was seen."""

_PLATEAU_LEVEL = 0.03
"""Below it a level is not of the plateau: less takes shoulders in, more leaves low chances out."""


def find_knee(repeats: Repeats) -> Knee | None:
    """Return the knee of ladders of users; None if one does not show it, or with few repeats.

    X_max is the mean of the levels that are not distinguished from the highest: the highest rate of
    each repeat would be the luckiest one.
    """
    best, below = _below_best(repeats)
    if not below:
        return None
    plateau = [best, *(users for users, p in below.items() if p > _PLATEAU_LEVEL)]
    knees = []
    for rates in repeats:
        lowest, most = min(rates), fmean(rates[users] for users in plateau)
        if len(rates) < MIN_KNEE_LEVELS or not 0 < GROWTH * rates[lowest] <= most:
            return None
        knees.append(most / (rates[lowest] / lowest))
    return Knee(geometric_mean(knees), geometric_interval(knees))


def _below_best(repeats: Repeats) -> tuple[int, dict[int, float]]:
    """Return the level with the highest rate, and for each other the p value of being as high.

    There are no p values with fewer than `MIN_REPEATS`.
    """
    if not repeats:
        return 0, {}
    means = {users: fmean(rates[users] for rates in repeats) for users in repeats[0]}
    best = max(means, key=means.__getitem__)
    if len(repeats) < MIN_REPEATS or not means[best]:
        return best, {}
    shares = {users: [rates[users] / means[best] for rates in repeats] for users in means}
    highest = shares.pop(best)
    return best, {
        users: StudentEstimate.unpaired(highest, values).p_below(0.0)
        for users, values in shares.items()
    }


# The law invents peaks: of a ladder that ends at 20 of 43 users, the interval of the peak holds it
# in a third of the cases, with 8 levels to twice the peak in nine of ten.
MIN_PEAK_LEVELS = 8
BEYOND = 2
"""Levels beyond the peak that it needs."""

WIDEST_STEP = 2
"""How often the users of a level the next one may have."""

MIN_FIT_LEVELS = 4
"""Levels that a fit of three numbers needs."""


@dataclass(frozen=True)
class Level:
    """One level of a ladder."""

    users: int
    rate: float


@dataclass(frozen=True)
class ScalabilityLaw:
    """The fitted law.

    Contention is the share of work that is done one after another, coherency what users cost each
    other, pair by pair.
    """

    contention: float
    coherency: float
    peak: float | None


def fit_law(levels: Sequence[Level]) -> ScalabilityLaw | None:
    """Return the law that fits a ladder; None if it has too few levels or the fit has no sense."""
    # With as many levels as numbers, the law would go through all of them, whatever they are.
    if len({level.users for level in levels}) < MIN_FIT_LEVELS or any(e.rate <= 0 for e in levels):
        return None
    users = np.array([level.users for level in levels], dtype=float)
    rates = np.array([level.rate for level in levels])
    columns = np.stack([np.ones_like(users), users - 1, users * (users - 1)], axis=1)
    # Errors are relative to N / X.
    weights = rates / users
    coefficients, *_ = np.linalg.lstsq(columns * weights[:, None], np.ones_like(users), rcond=None)
    a, b, c = map(float, coefficients)
    if a <= 0:
        return None
    peak = math.sqrt((a - b) / c) if c > 0 and a > b else None
    return ScalabilityLaw(b / a, c / a, peak)


def stated_peak(
    levels: Sequence[Level], law: ScalabilityLaw | None, repeats: Repeats
) -> float | None:
    """Return the peak of the law where a decline was measured; else None."""
    if law is None or law.peak is None or not declines(repeats):
        return None
    # A ladder that goes up and down has two steps of each level, which are one.
    ordered = sorted({level.users for level in levels})
    beyond = sum(users > law.peak for users in ordered)
    dense = all(later <= WIDEST_STEP * earlier for earlier, later in pairwise(ordered))
    enough = len(ordered) >= MIN_PEAK_LEVELS and beyond >= BEYOND and dense
    return law.peak if enough else None


def declines(repeats: Repeats) -> bool | None:
    """Return whether the rate with the most users is measured to be below the best one.

    None with fewer than `MIN_REPEATS`. By Welch's test over the repeats, with Holm's correction
    over all levels after the best.
    """
    best, below = _below_best(repeats)
    if not below:
        return None
    after = {users: p for users, p in below.items() if users > best}
    corrected = dict(zip(after, holm([*after.values()]), strict=True))
    return bool(after) and corrected[max(after)] <= _DECLINE_LEVEL


MIN_LEVELS = 3
"""Levels from which on a ladder is looked at."""


def scalability(samples: BenchmarkSamples, totals: Sequence[StepResult]) -> list[Scalability]:
    """Return how each variant scales; none for fewer than three different numbers of users."""
    ladder = samples.spec.load.steps
    # Users with a think time are not always busy, so that more of them need not queue.
    steps = [each for each in ladder if each.users is not None and not each.think_time]
    # Queries and updates have nothing in common, nor updates of different sizes.
    steps = steps if len({each.indexing for each in steps}) == 1 else []
    found = (_of_variant(steps, name, samples, totals) for name in variant_names(samples.spec))
    return [each for each in found if each is not None]


def _of_variant(
    steps: Sequence[Step], variant: str, samples: BenchmarkSamples, totals: Sequence[StepResult]
) -> Scalability | None:
    by_step = {each.step: each for each in totals if (each.variant or "") == variant}
    levels = [
        Level(step.users or 0, total.requests_per_second)
        for step in steps
        if (total := by_step.get(step.name)) is not None
    ]
    if len({each.users for each in levels}) < MIN_LEVELS:
        return None
    repeats = _repeats(steps, variant, samples)
    if repeats and len(repeats[0]) >= MIN_LEVELS:  # sentences are about what the repeats share
        levels = [each for each in levels if each.users in repeats[0]]
    knee = find_knee(repeats)
    # Few runs do not show how runs differ, and the law follows every chance.
    law = fit_law(levels) if len(repeats) >= MIN_REPEATS else None
    peak = stated_peak(levels, law, repeats)
    return Scalability(
        variant=variant or None,
        levels=len(levels),
        knee_users=None if knee is None else round_number(knee.at),
        knee_users_interval=None if knee is None else knee.rounded_interval,
        contention=None if law is None else round_number(law.contention),
        coherency=None if law is None else round_number(law.coherency),
        peak_users=None if peak is None else round_number(peak),
        declines=declines(repeats),
        message=describe_scaling(levels, knee, peak, repeats),
    )


def _repeats(
    steps: Sequence[Step], variant: str, samples: BenchmarkSamples
) -> list[dict[int, float]]:
    """Return the rates by users of repeats with the same levels: the most that enough of them ran.

    `failFast` may end a repeat before its highest levels.
    """
    by_repeat: dict[int, dict[int, float]] = {}
    for step in steps:
        for run in samples.of(step.name, variant).runs:
            if run.document.rate_seconds > 0:
                rate = StepSamples([run]).rate(ALL_REQUESTS)
                by_repeat.setdefault(run.document.repeat, {})[step.users or 0] = rate
    # A repeat that ended early has another highest level, and so another knee.
    longest = sorted(by_repeat.values(), key=len, reverse=True)
    place = MIN_REPEATS - 1 if len(longest) >= MIN_REPEATS else 0
    most = longest[place] if longest else {}
    return [
        {users: each[users] for users in most}
        for each in by_repeat.values()
        if most.keys() <= each.keys()
    ]


def describe_scaling(
    levels: Sequence[Level], knee: Knee | None, peak: float | None, repeats: Repeats
) -> str:
    """Return the highest throughput, the knee, and the peak or what is known of a decline."""
    best = max(levels, key=lambda level: level.rate)
    last = max(levels, key=lambda level: level.users)
    rate = format_number(best.rate)
    parts = [f"Throughput is highest at {count_noun(best.users, 'user')}: {rate} requests/s."]
    if knee is not None:
        at, interval = format_number(knee.at), knee.rounded_interval
        bounds = f"{CONFIDENCE} {format_range(interval.lower, interval.upper)}"
        parts.append(f"From about {at} users on ({bounds}), more users mainly add waiting.")
    if peak is not None:
        at = format_number(peak)
        parts.append(f"By the Universal Scalability Law, it peaks at about {at} users.")
    elif declines(repeats):
        parts.append(f"It declines up to {last.users} users; too few levels to state a peak.")
    elif len(repeats) < MIN_REPEATS:
        parts.append(
            f"Fewer than {MIN_REPEATS} repeats show neither a knee nor a decline: set"
            f" load.repeats.count to {MIN_REPEATS} or more."
        )
    elif last.rate < best.rate:
        less = format_number(last.rate)
        parts.append(f"The {less} requests/s at {last.users} users may be as high.")
    else:
        parts.append(f"It does not decline up to {last.users} users.")
    return " ".join(parts)


def answer_scalability(status: Status) -> Iterator[str]:
    """Yield how throughput grows with users, where a knee or a decline was seen."""
    for found in status.scalability:
        if found.knee_users is not None or found.declines:
            yield name_variant(found.variant, found.message)
