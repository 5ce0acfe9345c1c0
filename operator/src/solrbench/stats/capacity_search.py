"""The search for the highest rate, or number of users, that meets the limits: the next trial.

A probe with users gives a rate that is too high; trials below it find one rate that meets the
limits and one that misses them. Further trials stand around the place where the line through the
trials crosses zero, in random order so that a drift shows as noise and not as slope. The interval
of the crossing says when to stop. `docs/method/limits.md` compares it with other searches.

Of users, a trial that misses a limit by a factor, or meets it with as much left, says by itself
where the limit is just met; the first one is predicted from the users of the probe.

Everything follows from the trials alone: a search that is interrupted goes on with the next one.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.stats.capacity_line import (
    MAX_SEARCH_INTERVAL,
    MIN_LEVEL_SPACINGS,
    MIN_NEAR_TRIALS,
    MIN_TRIAL_DISTANCE,
    TARGET_OVERSHOOT,
    USER_SPACING,
    Trial,
    are_too_short,
    first_narrow_search_interval,
    half_width,
    interpolated_crossing,
    line_crossing,
    search_interval,
)

FIRST_SHARE = 0.2
"""Rate of the first trial, as a share of that of the probe: next to nothing queues."""

STEPS = (1.0, -1.0, 0.0, 0.6, -0.6)
"""Where trials stand around the crossing, as shares of the reach."""

# Trials farther away are on another part of a curve that bends; nearer ones leave the slope, and so
# the crossing, to the noise.
MAX_TRIAL_DISTANCE = 0.08
"""How far trials stand from the crossing at most, in ln of the rate."""

# With fewer, an interval may be narrow by chance.
MIN_TRIALS = 8
"""Trials before the search may stop."""

ENOUGH = 0.015
"""Half of the interval's width, in ln of the rate, at which the search stops."""

_STEP = 0.3

_STEP_DOWN = 0.6

_TOWARDS_PROBE = 0.7

_BEYOND = 1.1
"""How much farther than predicted a trial goes that is to find the other end of the bracket."""


def next_rate(probed: float, trials: Sequence[Trial], most: int, seed: int) -> float | None:
    """Return the rate of the next trial, of at most `most`; None if the search is over.

    `probed` is the rate of the probe, and the seed is that of the order around the crossing.
    """
    # A probe without a good response says nothing of where to begin.
    if len(trials) >= most or probed <= 0:
        return None
    bracketed = first_narrow_search_interval(trials)
    if bracketed is None:
        return _search_interval_rate(probed, trials)
    return _level_around(trials, len(trials) - bracketed, seed)


def _search_interval_rate(probed: float, trials: Sequence[Trial]) -> float:
    if not trials:
        return FIRST_SHARE * probed
    met, missed = search_interval(trials)
    if met is None and missed is not None:
        return math.exp(math.log(missed.rate) - _STEP_DOWN)
    if met is not None and missed is None:
        low = math.log(met.rate)
        towards = math.exp(low) + _TOWARDS_PROBE * (probed - math.exp(low))
        if towards > math.exp(low + MAX_SEARCH_INTERVAL / 4):
            return towards
        # Close to the probe, whose users may have been too few to keep every place busy.
        return math.exp(low + _STEP)
    return math.exp(interpolated_crossing(trials))


def _level_around(
    trials: Sequence[Trial], number: int, seed: int, level_spacing: float = 0.0
) -> float | None:
    """Return the level of trial `number` of those around the crossing; None if it is known.

    Trials stand less far from it where response times rise steeply.
    """
    crossing = line_crossing(trials, level_spacing)
    if crossing is None:
        centre, reach = interpolated_crossing(trials), MAX_TRIAL_DISTANCE
    else:
        # Known well enough to stop: to half a level spacing, for one.
        enough = max(ENOUGH, level_spacing / 2 * math.exp(-crossing.at))
        has_enough = len(trials) >= MIN_TRIALS and crossing.points >= MIN_NEAR_TRIALS
        is_known = has_enough and half_width(crossing) <= enough
        # By chance fewer may have an interval than of more trials like these.
        if is_known and not are_too_short(trials, crossing, level_spacing):
            return None
        centre, reach = crossing.at, max(TARGET_OVERSHOOT / crossing.slope, MIN_TRIAL_DISTANCE)
        reach = min(reach, MAX_TRIAL_DISTANCE)
    # Below one user, the distance of two in ln says nothing: it would be hundreds of users.
    reach = max(reach, MIN_LEVEL_SPACINGS * level_spacing * math.exp(-max(centre, 0.0)))
    cycle, index = divmod(number, len(STEPS))
    steps = list(STEPS)
    random.Random(f"{seed}/{cycle}").shuffle(steps)  # noqa: S311 - an order, not a secret
    return math.exp(centre + reach * steps[index])


@dataclass(frozen=True)
class UserRange:
    """Numbers of users that may be tried, from one for each worker on."""

    least: int
    most: int

    def nearest(self, users: float) -> int:
        """Return the nearest whole number of users within the range."""
        return max(self.least, min(self.most, round(users)))


def next_users(
    within: UserRange, probe: Trial, trials: Sequence[Trial], most: int, seed: int
) -> int | None:
    """Return the users of the next trial, of at most `most`; None if the search is over."""
    if len(trials) >= most:
        return None
    bracketed = first_narrow_search_interval(trials, USER_SPACING)
    if bracketed is None:
        return _bracketing_users(within, probe, trials)
    level = _level_around(trials, len(trials) - bracketed, seed, USER_SPACING)
    return None if level is None else within.nearest(level)


def _bracketing_users(within: UserRange, probe: Trial, trials: Sequence[Trial]) -> int | None:
    if not trials:
        return within.nearest(probe.predicted)
    met, missed = search_interval(trials)
    if met is not None and missed is not None:
        between = within.nearest(math.exp(interpolated_crossing(trials)))
        return min(max(between, round(met.rate) + 1), round(missed.rate) - 1)
    if met is not None:
        wanted = within.nearest(max(met.predicted * _BEYOND, met.rate + 1))
        return wanted if wanted > met.rate else None
    if missed is not None:
        wanted = within.nearest(min(missed.predicted / _BEYOND, missed.rate - 1))
        return wanted if wanted < missed.rate else None
    return None
