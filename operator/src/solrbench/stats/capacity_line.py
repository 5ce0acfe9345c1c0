"""The trials of a search for a capacity, and the line through those near the limit.

A trial at a rate gives its overshoot, 1 - limit / measured, which is 0 where the limit is just met
and nearly straight in the logarithm of the rate where queues form; the logarithm of the percentile
itself is bent there. With users, nothing piles up: where all places are busy, response times grow
in proportion to users, and so does the overshoot.

Levels are rates, or whole numbers of users: `level_spacing` is the distance of two of them, 0 for
rates.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from solrbench.stats.regression import ZeroCrossing, fit_crossing

NEAR = 0.15
"""Trials farther from the crossing than this, in ln of the rate, are not on the line."""

MIN_NEAR_TRIALS = 6
"""Trials on the line, with fewer of which it may be straight by chance."""

MAX_SEARCH_INTERVAL = math.log(1.25)
"""Between the rate that meets the limits and the one that misses them, before the line begins."""

TARGET_OVERSHOOT = 0.5
"""Excess that trials are to reach: beyond it, the curve is no line."""

# Of a target in one of two states, trials that are nearer look like a steep line.
MIN_TRIAL_DISTANCE = 0.04

STEEP = 12.0
"""Excess for each unit of ln of the rate, from which on a percentile that is wrong by a factor of
two moves the rate by 4 % at most: it needs no interval, and a longer run 3 % below may miss."""

# Of trials of which a tenth of a second is a long wait, half have an interval of their own; of
# queues that swing for seconds, one of fifty.
MIN_LONG_TRIALS = 2
"""Trials near the result with an interval of their own, with fewer of which all were too short."""

# Users wait for their responses, so a queue comes to rest within one response and one think time.
# A fluctuation that takes longer than a trial shows as a difference between trials: its p95 is 1.64
# standard deviations above its mean, 5 % of the users.
MAX_USERS_DISPERSION = 0.03
"""Standard deviation of what a single trial says of the users, up to which none needs one."""

MIN_LEVEL_SPACINGS = 2
"""Level spacings that trials stand from the crossing at least: fewer are too few levels."""

USER_SPACING = 1.0
"""`level_spacing` of a search for users."""

_ROUNDING = 1e-9

_LINE_EXCESS = 1.2
"""How far from 0 the line is followed: an excess is at most 1, so farther trials flatten it."""

_ROUNDS = 4
"""How often the trials that are near are chosen anew around the crossing they give."""


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes:
        rate: planned requests per second, or users: the level of the load
        excess: 1 - limit / found of the limit that is exceeded most, from -1 to 1; 0 just meets it
        is_long: whether what it found has an interval of its own: it was long enough for the queue
    """

    rate: float
    excess: float
    is_long: bool = True

    @property
    def meets(self) -> bool:
        """Whether it met every limit."""
        return self.excess <= 0

    @property
    def predicted(self) -> float:
        """The users at which the limit is just met, if times grow in proportion to users."""
        # Never below a tenth: a trial that misses by far says little of how far.
        return self.rate * max(1 - self.excess, 0.1)


def search_interval(trials: Sequence[Trial]) -> tuple[Trial | None, Trial | None]:
    """Return the trial at the highest rate that met the limits, and at the lowest that did not."""
    met = (trial for trial in trials if trial.meets)
    missed = (trial for trial in trials if not trial.meets)
    rate = attrgetter("rate")
    return max(met, key=rate, default=None), min(missed, key=rate, default=None)


def first_narrow_search_interval(trials: Sequence[Trial], level_spacing: float = 0.0) -> int | None:
    """Return after how many trials the bracket was narrow enough; None if it is not."""
    for count in range(2, len(trials) + 1):
        met, missed = search_interval(trials[:count])
        if met is None or missed is None:
            continue
        low, high = math.log(met.rate), math.log(missed.rate)
        # Two neighbouring numbers of users are as narrow as it gets, however far apart in ln.
        neighbours = math.log1p(level_spacing * math.exp(-low)) + _ROUNDING
        if high - low <= max(MAX_SEARCH_INTERVAL, neighbours):
            return count
    return None


def interpolated_crossing(trials: Sequence[Trial]) -> float:
    """Return ln of the rate between the two ends of the bracket, by false position."""
    below, above = search_interval(trials)
    assert below is not None  # noqa: S101 - asked where there is a search interval
    assert above is not None  # noqa: S101 - the same
    share = below.excess / (below.excess - above.excess)
    low, high = math.log(below.rate), math.log(above.rate)
    # False position alone may creep towards one end, trial by trial.
    return low + min(max(share, 0.2), 0.8) * (high - low)


def line_crossing(trials: Sequence[Trial], level_spacing: float) -> ZeroCrossing | None:
    """Return where the line through the trials near its own crossing is zero."""
    if None in search_interval(trials):
        return None
    centre, crossing = interpolated_crossing(trials), None
    for _ in range(_ROUNDS):
        width = line_reach(centre, level_spacing)
        near = _on_line(trials, centre, width, 0.0 if crossing is None else crossing.slope)
        rates = [math.log(trial.rate) for trial in near]
        crossing = fit_crossing(rates, [trial.excess for trial in near])
        if crossing is None or abs(crossing.at - centre) > width:
            return None
        centre = crossing.at
    return crossing


def _on_line(trials: Sequence[Trial], centre: float, width: float, slope: float) -> list[Trial]:
    """Return the trials within a distance of the centre, nearer ones where the line is steep."""

    def distance(trial: Trial) -> float:
        return abs(math.log(trial.rate) - centre)

    near = sorted((trial for trial in trials if distance(trial) <= width), key=distance)
    on_line = sum(slope * distance(trial) <= _LINE_EXCESS for trial in near)
    return near[: max(on_line, MIN_NEAR_TRIALS)]


def half_width(crossing: ZeroCrossing) -> float:
    """Return half of the width of its interval, in ln of the level."""
    return (crossing.upper - crossing.lower) / 2


def line_reach(centre: float, level_spacing: float) -> float:
    """Return how far from a crossing, in ln, trials are on the line: a few levels at least."""
    return max(NEAR, (MIN_LEVEL_SPACINGS + 1) * level_spacing * math.exp(-centre))


def are_too_short(trials: Sequence[Trial], crossing: ZeroCrossing, level_spacing: float) -> bool:
    """Return whether the trials near a crossing are too short for the queue there."""
    near = line_reach(crossing.at, level_spacing)
    long = sum(trial.is_long for trial in trials if abs(math.log(trial.rate) - crossing.at) <= near)
    is_settled = level_spacing > 0 and crossing.scatter <= MAX_USERS_DISPERSION
    return long < MIN_LONG_TRIALS and crossing.slope < STEEP and not is_settled
