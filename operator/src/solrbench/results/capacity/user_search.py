"""The search for the highest number of users that meets the limits: a closed loop.

As the search for a rate (`search`), with another bracket. In a closed loop nothing piles up: where
all places are busy, response times grow in proportion to users, and so does what a limit is
exceeded by. A trial that misses a limit by a factor, or meets it with as much left, therefore says
by itself where the limit is just met; the first one is predicted from the probe's users.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from solrbench.results.capacity.search import (
    LEAST_TRIALS,
    CapacityEstimate,
    Trial,
    bracket_crossing,
    estimate,
    first_bracketed,
    is_enough,
    level_around,
    line_crossing,
)

_GRAIN = 1.0
_BEYOND = 1.1
"""How much farther than predicted a trial goes that is to find the other end of the bracket."""


@dataclass(frozen=True)
class UserRange:
    """Numbers of users that may be tried.

    Attributes:
        least: one for each worker
        most: of the spec

    """

    least: int
    most: int

    def nearest(self, users: float) -> int:
        """Return the nearest whole number of users within the range."""
        return max(self.least, min(self.most, round(users)))


def next_users(
    within: UserRange, probe: Trial, trials: Sequence[Trial], most: int, seed: int
) -> int | None:
    """Return the users of the next trial; None if the search is over.

    Args:
        within: what may be tried
        probe: users of the probe and their excess
        trials: all trials so far, in their order
        most: trials at most
        seed: of the order of trials around the crossing

    """
    if len(trials) >= most:
        return None
    bracketed = first_bracketed(trials, _GRAIN)
    if bracketed is None:
        return _bracketing_users(within, probe, trials)
    crossing = line_crossing(trials, _GRAIN)
    if crossing is not None and len(trials) >= LEAST_TRIALS and is_enough(crossing, _GRAIN):
        return None
    return within.nearest(level_around(crossing, trials, len(trials) - bracketed, seed, _GRAIN))


def estimate_users(trials: Sequence[Trial]) -> CapacityEstimate:
    """Return the highest whole number of users that meets the limits, and its interval."""
    found = estimate(trials, _GRAIN)
    if found.rate is None or found.lower is None or found.upper is None:
        return found
    return replace(
        found,
        rate=float(math.floor(found.rate)),
        lower=float(math.floor(found.lower)),
        upper=float(math.floor(found.upper)),
    )


def _bracketing_users(within: UserRange, probe: Trial, trials: Sequence[Trial]) -> int | None:
    if not trials:
        return within.nearest(_predicted(probe))
    met = max((each for each in trials if each.meets), key=_users, default=None)
    missed = min((each for each in trials if not each.meets), key=_users, default=None)
    if met is not None and missed is not None:
        between = within.nearest(math.exp(bracket_crossing(trials)))
        return min(max(between, round(met.rate) + 1), round(missed.rate) - 1)
    if met is not None:
        wanted = within.nearest(max(_predicted(met) * _BEYOND, met.rate + 1))
        return wanted if wanted > met.rate else None
    if missed is not None:
        wanted = within.nearest(min(_predicted(missed) / _BEYOND, missed.rate - 1))
        return wanted if wanted < missed.rate else None
    return None


def _users(trial: Trial) -> float:
    return trial.rate


def _predicted(trial: Trial) -> float:
    """Return the users at which the limit is just met, if times grow in proportion to users."""
    return trial.rate * max(1 - trial.excess, 0.1)
