"""The Universal Scalability Law: throughput of N users, with contention s and coherency k.

X(N) = cN / (1 + s(N - 1) + kN(N - 1)), with its peak at sqrt((1 - s) / k) (Gunther, Guerrilla
Capacity Planning, 2007, chapter 5). N / X is a polynomial of N, so the fit is one of least squares
and needs no optimiser; it does not divide by X(1), whose error would be in every point.

The law invents peaks: a server that merely saturates gets one within the ladder. So a peak is
stated only where throughput was measured to decline beyond it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

LEAST_LEVELS = 8
"""Levels that a stated peak needs."""

LEAST_FIT = 4
"""Levels that a fit of three numbers needs."""

BEYOND = 2
"""Levels beyond the peak that it needs."""

WIDEST_STEP = 2
"""How often the users of a level the next one may have."""


@dataclass(frozen=True)
class Level:
    """One level of a ladder.

    Attributes:
        users: their number
        rate: requests per second
        lower: lower bound of its 95 % interval; None without one
        upper: upper bound

    """

    users: int
    rate: float
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class ScalabilityLaw:
    """The fitted law.

    Attributes:
        contention: the share of work that is done one after another
        coherency: what users cost each other, pair by pair
        peak: users of the highest throughput by the law; None without one

    """

    contention: float
    coherency: float
    peak: float | None


def fit_law(levels: Sequence[Level]) -> ScalabilityLaw | None:
    """Return the law that fits a ladder; None if it has too few levels or the fit has no sense."""
    if len({each.users for each in levels}) < LEAST_FIT or any(e.rate <= 0 for e in levels):
        return None
    users = np.array([each.users for each in levels], dtype=float)
    rates = np.array([each.rate for each in levels])
    columns = np.stack([np.ones_like(users), users - 1, users * (users - 1)], axis=1)
    # Errors are relative to N / X.
    weights = rates / users
    found, *_ = np.linalg.lstsq(columns * weights[:, None], np.ones_like(users), rcond=None)
    a, b, c = map(float, found)
    if a <= 0:
        return None
    peak = math.sqrt((a - b) / c) if c > 0 and a > b else None
    return ScalabilityLaw(b / a, c / a, peak)


def stated_peak(levels: Sequence[Level], law: ScalabilityLaw | None) -> float | None:
    """Return the peak of the law where a decline was measured; else None."""
    if law is None or law.peak is None or not declines(levels):
        return None
    ordered = sorted(levels, key=lambda each: each.users)
    beyond = sum(each.users > law.peak for each in ordered)
    dense = all(later.users <= WIDEST_STEP * earlier.users for earlier, later in pairwise(ordered))
    enough = len(ordered) >= LEAST_LEVELS and beyond >= BEYOND and dense
    return law.peak if enough else None


def declines(levels: Sequence[Level]) -> bool:
    """Return whether the highest level is measured to be below the best one.

    Their 95 % intervals must not touch, which equal rates do in less than one of 100 cases.
    """
    if not levels:
        return False
    last = max(levels, key=lambda each: each.users)
    best = max(levels, key=lambda each: each.rate)
    if last.upper is None or best.lower is None:
        return False
    return last is not best and last.upper < best.lower
