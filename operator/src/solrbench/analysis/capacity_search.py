"""The search for the highest rate that meets the limits: from the trials so far to the next one.

A trial at a rate gives its excess, 1 - limit / found, which is 0 where the limit is just met and
nearly straight in the logarithm of the rate where queues form; the logarithm of the percentile
itself is bent there. A probe with users gives a rate that is too high; trials below it find one
rate that meets the limits and one that misses them. Further trials stand around the place where
the line through the trials crosses zero, in random order so that a drift shows as noise and not as
slope. The interval of the crossing says when to stop. `docs/method.md` compares it with other
searches.

Everything follows from the trials alone: a search that is interrupted goes on with the next one.

A search for a number of users (`user_search`) differs in how it finds its bracket, and in its
levels, which are whole numbers: `grain` is the distance of two levels, 0 for rates.

The search for the highest number of users that meets the limits: a closed loop.

As the search for a rate (`search`), with another bracket. In a closed loop nothing piles up: where
all places are busy, response times grow in proportion to users, and so does what a limit is
exceeded by. A trial that misses a limit by a factor, or meets it with as much left, therefore says
by itself where the limit is just met; the first one is predicted from the probe's users.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from solrbench.stats.number_format import format_number, round_number
from solrbench.stats.regression import ZeroCrossing, fit_crossing

FIRST_SHARE = 0.2
"""Rate of the first trial, as a share of that of the probe: there, next to nothing queues."""

WIDEST_BRACKET = math.log(1.25)
"""Between the rate that meets the limits and the one that misses them, before the line begins."""

STEPS = (1.0, -1.0, 0.0, 0.6, -0.6)
"""Where trials stand around the crossing, as shares of the reach."""

MOST_REACH = 0.08
"""How far trials stand from the crossing at most, in ln of the rate."""

LEAST_REACH = 0.04

REACHED_EXCESS = 0.5
"""Excess that trials are to reach: beyond it, the curve is no line."""

NEAR = 0.15
"""Trials farther from the crossing than this, in ln of the rate, are not on the line."""

LEAST_TRIALS = 8
"""Trials before the search may stop."""

LEAST_NEAR = 6
"""Trials on the line, with fewer of which it may be straight by chance."""

ENOUGH = 0.015
"""Half of the interval's width, in ln of the rate, at which the search stops."""

MOST_HALF_WIDTH = 0.10
"""Half of the interval's width beyond which the result is unclear."""

MOST_SCATTER = 0.10
"""Standard deviation of what a single trial says of the rate, beyond which the result is unclear:
where so much of it is noise, a narrow interval is narrow by chance."""

_LARGEST_LOGARITHM = 30.0
"""Of a bound of an interval that is shown."""

LEAST_SLOPE = 0.8
"""Excess for each unit of ln of the rate, below which the limit does not depend on the rate."""

LEAST_USER_SLOPE = 0.3
"""The same for users: in a closed loop without think time, response times grow in proportion to
them at most, so that the slope is 1 where the limit is an average."""

CURVATURE = 0.01
"""What the bend of the curve may move the crossing by; the interval is so much wider."""

_STEP = 0.3
_STEP_DOWN = 0.6
_TOWARDS_PROBE = 0.7
_LEAST_GRAINS = 2
"""Grains that trials stand from the crossing at least: fewer are too few different levels."""
_ROUNDING = 1e-9
_ROUNDS = 4
"""How often the trials that are near are chosen anew around the crossing they give."""


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes:
        rate: planned requests per second, or users: the level of the load
        excess: 1 - limit / found of the limit that is exceeded most, from -1 to 1; 0 just meets it

    """

    rate: float
    excess: float

    @property
    def meets(self) -> bool:
        """Whether it met every limit."""
        return self.excess <= 0


@dataclass(frozen=True)
class CapacityEstimate:
    """What the trials say.

    Attributes:
        rate: the highest rate that meets the limits, requests per second; None if unknown
        lower: lower bound of its 95 % interval
        upper: upper bound
        highest_met: highest rate of a trial that met the limits; None without one
        lowest_missed: lowest rate of a trial that missed one; None without one
        problem: why the rate is unknown, as words; empty if it is known

    """

    rate: float | None
    lower: float | None
    upper: float | None
    highest_met: float | None
    lowest_missed: float | None
    problem: str = ""


def next_rate(probed: float, trials: Sequence[Trial], most: int, seed: int) -> float | None:
    """Return the rate of the next trial; None if the search is over.

    Args:
        probed: requests per second of the probe, with users
        trials: all trials so far, in their order
        most: trials at most
        seed: of the order of trials around the crossing

    """
    if len(trials) >= most or probed <= 0:
        return None
    bracketed = first_bracketed(trials)
    if bracketed is None:
        return _bracketing_rate(probed, trials)
    crossing = line_crossing(trials)
    if crossing is not None and len(trials) >= LEAST_TRIALS and is_enough(crossing):
        return None
    return level_around(crossing, trials, len(trials) - bracketed, seed)


def level_around(
    crossing: ZeroCrossing | None,
    trials: Sequence[Trial],
    number: int,
    seed: int,
    grain: float = 0.0,
) -> float:
    """Return the level of trial `number` of those around the crossing, once there is a bracket."""
    centre = bracket_crossing(trials) if crossing is None else crossing.at
    reach = MOST_REACH if crossing is None else _reach(crossing)
    reach = max(reach, _LEAST_GRAINS * grain * math.exp(-centre))
    return math.exp(centre + reach * _step(number, seed))


def estimate(trials: Sequence[Trial], grain: float = 0.0) -> CapacityEstimate:
    """Return what the trials say of the highest rate, or level, that meets the limits."""
    met = max((each.rate for each in trials if each.meets), default=None)
    missed = min((each.rate for each in trials if not each.meets), default=None)
    problem = _bracket_problem(met, missed)
    crossing = None if problem else line_crossing(trials, grain)
    problem = problem or _line_problem(crossing, grain)
    if crossing is None or problem:
        return CapacityEstimate(None, None, None, met, missed, problem)
    return CapacityEstimate(
        math.exp(crossing.at),
        math.exp(crossing.lower - CURVATURE),
        math.exp(crossing.upper + CURVATURE),
        met,
        missed,
    )


def _line_problem(crossing: ZeroCrossing | None, grain: float) -> str:
    """Return why the crossing is not the result, as words; empty if it is."""
    word = "number of users" if grain else "rate"
    if crossing is None:
        return f"response times do not rise with the {word}"
    share = grain * math.exp(-crossing.at)
    if crossing.slope < (LEAST_USER_SLOPE if grain else LEAST_SLOPE):
        return f"response times hardly rise with the {word}"
    if crossing.points < LEAST_NEAR:
        return f"only {crossing.points} trials are near the {word} that just meets the objectives"
    if crossing.scatter > max(MOST_SCATTER, share):
        loads = "numbers" if grain else "rates"
        return f"trials at one {word} differ as if {loads} differed by {crossing.scatter:.0%}"
    if not _half_width(crossing) <= max(MOST_HALF_WIDTH, share):
        return (
            f"trials differ too much: the 95 % interval{_bounds(crossing)} is wider than"
            f" ±{MOST_HALF_WIDTH:.0%}; set a longer trialSeconds, or a higher maxTrials"
        )
    return ""


def _bounds(crossing: ZeroCrossing) -> str:
    """Return `, 6.1 to 8.9,`; empty where a line so flat has no bounds."""
    bounds = crossing.lower - CURVATURE, crossing.upper + CURVATURE
    if not all(abs(each) < _LARGEST_LOGARITHM for each in bounds):
        return ""
    lower, upper = (format_number(round_number(math.exp(each))) for each in bounds)
    return f", {lower} to {upper},"


def _bracket_problem(met: float | None, missed: float | None) -> str:
    if met is None:
        return "no trial met the objectives"
    return "no trial missed an objective" if missed is None else ""


def first_bracketed(trials: Sequence[Trial], grain: float = 0.0) -> int | None:
    """Return after how many trials the bracket was narrow enough; None if it is not."""
    for count in range(2, len(trials) + 1):
        low, high = _bracket(trials[:count])
        if low is None or high is None:
            continue
        if high - low <= max(WIDEST_BRACKET, math.log1p(grain * math.exp(-low)) + _ROUNDING):
            return count
    return None


def _bracket(trials: Sequence[Trial]) -> tuple[float | None, float | None]:
    """Return ln of the highest rate that met the limits and of the lowest that missed one."""
    met = max((math.log(each.rate) for each in trials if each.meets), default=None)
    missed = min((math.log(each.rate) for each in trials if not each.meets), default=None)
    return met, missed


def _bracketing_rate(probed: float, trials: Sequence[Trial]) -> float:
    if not trials:
        return FIRST_SHARE * probed
    low, high = _bracket(trials)
    if low is None and high is not None:
        return math.exp(high - _STEP_DOWN)
    if low is not None and high is None:
        towards = math.exp(low) + _TOWARDS_PROBE * (probed - math.exp(low))
        # Close to the probe, whose users may have been too few to keep every place busy.
        return towards if towards > math.exp(low + WIDEST_BRACKET / 4) else math.exp(low + _STEP)
    return math.exp(bracket_crossing(trials))


def bracket_crossing(trials: Sequence[Trial]) -> float:
    """Return ln of the rate between the two ends of the bracket, by false position."""
    below = max((each for each in trials if each.meets), key=lambda each: each.rate)
    above = min((each for each in trials if not each.meets), key=lambda each: each.rate)
    share = below.excess / (below.excess - above.excess)
    low, high = math.log(below.rate), math.log(above.rate)
    return low + min(max(share, 0.2), 0.8) * (high - low)


def line_crossing(trials: Sequence[Trial], grain: float = 0.0) -> ZeroCrossing | None:
    """Return where the line through the trials near its own crossing is zero."""
    low, high = _bracket(trials)
    if low is None or high is None:
        return None
    centre, found = bracket_crossing(trials), None
    for _ in range(_ROUNDS):
        width = max(NEAR, (_LEAST_GRAINS + 1) * grain * math.exp(-centre))
        near = [each for each in trials if abs(math.log(each.rate) - centre) <= width]
        found = fit_crossing([math.log(each.rate) for each in near], [each.excess for each in near])
        if found is None or abs(found.at - centre) > width:
            return None
        centre = found.at
    return found


def is_enough(crossing: ZeroCrossing, grain: float = 0.0) -> bool:
    """Say whether the crossing is known well enough to stop: to half a grain, for one."""
    enough = max(ENOUGH, grain / 2 * math.exp(-crossing.at))
    return crossing.points >= LEAST_NEAR and _half_width(crossing) <= enough


def _half_width(crossing: ZeroCrossing) -> float:
    return (crossing.upper - crossing.lower) / 2


def _reach(crossing: ZeroCrossing) -> float:
    """Return how far trials stand from the crossing, less where response times rise steeply."""
    return min(max(REACHED_EXCESS / crossing.slope, LEAST_REACH), MOST_REACH)


def _step(number: int, seed: int) -> float:
    """Return where trial `number` around the crossing stands, as a share of the reach."""
    cycle, place = divmod(number, len(STEPS))
    steps = list(STEPS)
    random.Random(f"{seed}/{cycle}").shuffle(steps)  # noqa: S311 - an order, not a secret
    return steps[place]


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
