"""The search for the highest rate, or number of users, that meets the limits: the next trial.

A trial at a rate gives its overshoot, 1 - limit / measured, which is 0 where the limit is just met
and nearly straight in the logarithm of the rate where queues form; the logarithm of the percentile
itself is bent there. A probe with users gives a rate that is too high; trials below it find one
rate that meets the limits and one that misses them. Further trials stand around the place where the
line through the trials crosses zero, in random order so that a drift shows as noise and not as
slope. The interval of the crossing says when to stop. `docs/method/limits.md` compares it with
other searches.

With users, nothing piles up: where all places are busy, response times grow in proportion to users,
and so does the overshoot. A trial that misses a limit by a factor, or meets it with as much left,
says by itself where the limit is just met; the first one is predicted from the probe's users.
Levels are whole numbers: `level_spacing` is the distance of two of them, 0 for rates.

Everything follows from the trials alone: a search that is interrupted goes on with the next one.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from solrbench.analysis.metrics import MAX_CLIFF_OVERLAP
from solrbench.stats.number_format import format_number
from solrbench.stats.regression import ZeroCrossing, fit_crossing

FIRST_SHARE = 0.2
"""Rate of the first trial, as a share of that of the probe: next to nothing queues."""

MAX_SEARCH_INTERVAL = math.log(1.25)
"""Between the rate that meets the limits and the one that misses them, before the line begins."""

STEPS = (1.0, -1.0, 0.0, 0.6, -0.6)
"""Where trials stand around the crossing, as shares of the reach."""

# Trials farther away are on another part of a curve that bends; nearer ones leave the slope, and so
# the crossing, to the noise.
MAX_TRIAL_DISTANCE = 0.08
"""How far trials stand from the crossing at most, in ln of the rate."""

# Of a target in one of two states, trials that are nearer look like a steep line.
MIN_TRIAL_DISTANCE = 0.04

TARGET_OVERSHOOT = 0.5
"""Excess that trials are to reach: beyond it, the curve is no line."""

NEAR = 0.15
"""Trials farther from the crossing than this, in ln of the rate, are not on the line."""

# With fewer, an interval may be narrow by chance.
MIN_TRIALS = 8
"""Trials before the search may stop."""

MIN_NEAR_TRIALS = 6
"""Trials on the line, with fewer of which it may be straight by chance."""

ENOUGH = 0.015
"""Half of the interval's width, in ln of the rate, at which the search stops."""

MAX_HALF_WIDTH = 0.10
"""Half of the interval's width beyond which the result is inconclusive."""

MAX_DISPERSION = 0.10
"""Standard deviation of what a single trial says of the rate, beyond which the result is
inconclusive: where so much of it is noise, a narrow interval is narrow by chance."""

MAX_EXCESS_DEVIATION = 0.32
"""Standard deviation of the excess of single trials beside the line, beyond which they differ by
more than noise: of servers whose trials are in one of two states 20 % apart it is 0.35 and more, of
one state 0.1 to 0.3."""

# A limit of a hundred times what a request takes alone is crossed within 2 % of the rate, where the
# waits of a full queue differ by more from trial to trial.
MIN_STATE_DISPERSION = 0.04
"""Standard deviation of what a single trial says of the rate, up to which it is one state."""

# At 97 % of the right rate, a target whose speed differs by 2 % from run to run is farther beyond
# the limit in one of a hundred runs.
HELD_SHARE, MAX_HELD_EXCESS = 0.03, 0.15
"""A longer run holds if it is beyond the limit by no more than so much of the rate explains."""

MIN_MET_NEAR, MIN_MISSED_NEAR = 3, 2
"""Trials near it that show a cliff."""

MIN_MET_LATER = 3
"""Trials in a row, up to the last, that met the limits: after all that missed, at a higher rate."""

MIN_MET_IN_A_ROW, MIN_CONTRADICTED = 5, 2
"""The same where not all that missed did so at a lower rate, but so many."""

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

_MAX_SHOWN_HALF_WIDTH = 2.0
"""Half of the interval's width, in ln of the rate, beyond which its bounds say nothing."""

MIN_SLOPE = 0.8
"""Excess for each unit of ln of the rate, below which the limit does not depend on the rate."""

MIN_USER_SLOPE = 0.3
"""The same for users: in a closed loop without think time, response times grow in proportion to
them at most, so that the slope is 1 where the limit is an average."""

CURVATURE = 0.01
"""What the bend of the curve may move the crossing by; the interval is so much wider."""

_STEP = 0.3
_STEP_DOWN = 0.6
_TOWARDS_PROBE = 0.7
_MIN_LEVEL_SPACINGS = 2
"""Level spacings that trials stand from the crossing at least: fewer are too few levels."""
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


@dataclass(frozen=True)
class CapacityEstimate:
    """What the trials say.

    Attributes:
        rate: the highest rate that meets the limits, requests per second; None if unknown
        problem: why the rate is unknown, as words; empty if it is known
        is_noisy: whether longer trials may mend the problem
        is_cold: whether a longer warm-up may mend it
        is_short: whether more trials may mend it
        held_excess: the excess up to which a longer run holds the rate
        is_steep: whether a little less of the rate makes all the difference
        near: how far from the rate, in ln, trials are on the line
    """

    rate: float | None
    lower: float | None
    upper: float | None
    highest_met: float | None
    lowest_missed: float | None
    problem: str = ""
    is_noisy: bool = False
    is_cold: bool = False
    is_short: bool = False
    held_excess: float = MAX_HELD_EXCESS
    is_steep: bool = False
    near: float = NEAR


def next_rate(probed: float, trials: Sequence[Trial], most: int, seed: int) -> float | None:
    """Return the rate of the next trial, of at most `most`; None if the search is over.

    `probed` is the rate of the probe, and the seed is that of the order around the crossing.
    """
    # A probe without a good response says nothing of where to begin.
    if len(trials) >= most or probed <= 0:
        return None
    bracketed = _first_narrow_search_interval(trials)
    if bracketed is None:
        return _search_interval_rate(probed, trials)
    return _level_around(trials, len(trials) - bracketed, seed)


def _level_around(
    trials: Sequence[Trial], number: int, seed: int, level_spacing: float = 0.0
) -> float | None:
    """Return the level of trial `number` of those around the crossing; None if it is known.

    Trials stand less far from it where response times rise steeply.
    """
    crossing = _line_crossing(trials, level_spacing)
    if crossing is None:
        centre, reach = _interpolated_crossing(trials), MAX_TRIAL_DISTANCE
    else:
        # Known well enough to stop: to half a level spacing, for one.
        enough = max(ENOUGH, level_spacing / 2 * math.exp(-crossing.at))
        has_enough = len(trials) >= MIN_TRIALS and crossing.points >= MIN_NEAR_TRIALS
        is_known = has_enough and _half_width(crossing) <= enough
        # By chance fewer may have an interval than of more trials like these.
        if is_known and not _are_too_short(trials, crossing, level_spacing):
            return None
        centre, reach = crossing.at, max(TARGET_OVERSHOOT / crossing.slope, MIN_TRIAL_DISTANCE)
        reach = min(reach, MAX_TRIAL_DISTANCE)
    # Below one user, the distance of two in ln says nothing: it would be hundreds of users.
    reach = max(reach, _MIN_LEVEL_SPACINGS * level_spacing * math.exp(-max(centre, 0.0)))
    cycle, index = divmod(number, len(STEPS))
    steps = list(STEPS)
    random.Random(f"{seed}/{cycle}").shuffle(steps)  # noqa: S311 - an order, not a secret
    return math.exp(centre + reach * steps[index])


def estimate(trials: Sequence[Trial], level_spacing: float = 0.0) -> CapacityEstimate:
    """Return what the trials say of the highest rate, or level, that meets the limits."""
    met, missed = (None if each is None else each.rate for each in _search_interval(trials))
    if met is None or missed is None:
        problem = "no trial met the objectives" if met is None else "no trial missed an objective"
        return CapacityEstimate(None, None, None, met, missed, problem)
    crossing = _line_crossing(trials, level_spacing)
    if crossing is None and _first_narrow_search_interval(trials, level_spacing) is None:
        problem = "the trials were too few to come near what just meets the objectives"
        return CapacityEstimate(None, None, None, met, missed, problem, is_short=True)
    problem = _line_problem(crossing, level_spacing, is_contradicted=met > missed)
    if crossing is None or problem:
        cliff = _find_cliff(trials, math.log(met), math.log(missed))
        if cliff is None:
            rises = crossing is not None and _rises(crossing, level_spacing)
            is_noisy = rises or met > missed
            is_short = rises and crossing is not None and crossing.points < MIN_NEAR_TRIALS
            is_cold = _became_faster(trials)
            if is_cold:
                problem = (
                    "later trials met the objectives under more load than those that missed them,"
                    " as if the target were still warming up"
                )
            mended_by = is_noisy, is_cold, is_short
            return CapacityEstimate(None, None, None, met, missed, problem, *mended_by)
        lower, upper = cliff
        at, slope = (lower + upper) / 2, math.inf
    else:
        at, lower, upper, slope = crossing.at, crossing.lower, crossing.upper, crossing.slope
        if _are_too_short(trials, crossing, level_spacing):
            problem = "trials are too short for the queue: what they measure has no interval"
            return CapacityEstimate(None, None, None, met, missed, problem, is_noisy=True)
    bounds = math.exp(lower - CURVATURE), math.exp(upper + CURVATURE)
    held = min(HELD_SHARE * slope, MAX_HELD_EXCESS)
    return CapacityEstimate(
        math.exp(at),
        *bounds,
        met,
        missed,
        held_excess=held,
        is_steep=slope >= STEEP,
        near=_near(at, level_spacing),
    )


def _are_too_short(trials: Sequence[Trial], crossing: ZeroCrossing, level_spacing: float) -> bool:
    """Return whether the trials near a crossing are too short for the queue there."""
    near = _near(crossing.at, level_spacing)
    long = sum(trial.is_long for trial in trials if abs(math.log(trial.rate) - crossing.at) <= near)
    is_settled = level_spacing > 0 and crossing.scatter <= MAX_USERS_DISPERSION
    return long < MIN_LONG_TRIALS and crossing.slope < STEEP and not is_settled


def _near(centre: float, level_spacing: float) -> float:
    """Return how far from a crossing, in ln, trials are on the line: a few levels at least."""
    return max(NEAR, (_MIN_LEVEL_SPACINGS + 1) * level_spacing * math.exp(-centre))


def _find_cliff(trials: Sequence[Trial], met: float, missed: float) -> tuple[float, float] | None:
    """Return the bounds, in ln, of a rate at which the limit is not crossed but jumped over."""
    if abs(met - missed) > MAX_CLIFF_OVERLAP:
        return None
    near = [trial for trial in trials if abs(math.log(trial.rate) - met) <= NEAR]
    beyond = [trial.excess for trial in near if not trial.meets]
    if len(near) - len(beyond) < MIN_MET_NEAR or len(beyond) < MIN_MISSED_NEAR:
        return None
    # Where a trial next to these would have stood is not known.
    reach = MIN_TRIAL_DISTANCE / 2
    bounds = min(met, missed) - reach, max(met, missed) + reach
    return bounds if min(beyond) >= TARGET_OVERSHOOT else None


def _became_faster(trials: Sequence[Trial]) -> bool:
    """Return whether later trials met the limits at higher rates than trials that missed them."""
    missed = [number for number, trial in enumerate(trials) if not trial.meets]
    later = trials[missed[-1] + 1 :]
    highest_met = max((trial.rate for trial in later), default=0.0)
    contradicted = sum(trials[number].rate < highest_met for number in missed)
    if contradicted < len(missed):
        return len(later) >= MIN_MET_IN_A_ROW and contradicted >= MIN_CONTRADICTED
    return len(later) >= MIN_MET_LATER


def _rises(crossing: ZeroCrossing, level_spacing: float) -> bool:
    return crossing.slope >= (MIN_USER_SLOPE if level_spacing else MIN_SLOPE)


def _line_problem(
    crossing: ZeroCrossing | None, level_spacing: float, *, is_contradicted: bool
) -> str:
    """Return why the crossing is not the result, as words; empty if it is.

    `is_contradicted` says that a trial met the limits at a higher level than one that missed.
    """
    word = "number of users" if level_spacing else "rate"
    if crossing is None or not _rises(crossing, level_spacing):
        flat = f"response times hardly rise with the {word}, so it cannot be located"
        return f"trials differ by more than the {word} explains" if is_contradicted else flat
    share = level_spacing * math.exp(-crossing.at)
    if crossing.points < MIN_NEAR_TRIALS:
        return f"only {crossing.points} trials are near the {word} that just meets the objectives"
    if crossing.scatter > max(MAX_DISPERSION, share):
        loads = "numbers" if level_spacing else "rates"
        differed = format_number(100 * crossing.scatter)
        return f"trials at one {word} differ as if {loads} differed by {differed} %"
    has_states = crossing.scatter * crossing.slope > MAX_EXCESS_DEVIATION
    if has_states and crossing.scatter > MIN_STATE_DISPERSION:
        return f"trials at one {word} differ as if the target were in another state in each"
    most = max(MAX_HALF_WIDTH, share)
    if not _half_width(crossing) <= most:
        half, spread = _half_width(crossing), ""
        # A line that is too flat has bounds that say nothing.
        if half < _MAX_SHOWN_HALF_WIDTH:
            spread = f"±{format_number(100 * math.expm1(half))} %, "
        return f"trials vary too much ({spread}at most ±{format_number(100 * most)} % wanted)"
    return ""


def _first_narrow_search_interval(
    trials: Sequence[Trial], level_spacing: float = 0.0
) -> int | None:
    """Return after how many trials the bracket was narrow enough; None if it is not."""
    for count in range(2, len(trials) + 1):
        met, missed = _search_interval(trials[:count])
        if met is None or missed is None:
            continue
        low, high = math.log(met.rate), math.log(missed.rate)
        # Two neighbouring numbers of users are as narrow as it gets, however far apart in ln.
        neighbours = math.log1p(level_spacing * math.exp(-low)) + _ROUNDING
        if high - low <= max(MAX_SEARCH_INTERVAL, neighbours):
            return count
    return None


def _search_interval(trials: Sequence[Trial]) -> tuple[Trial | None, Trial | None]:
    """Return the trial at the highest rate that met the limits, and at the lowest that did not."""
    met = (trial for trial in trials if trial.meets)
    missed = (trial for trial in trials if not trial.meets)
    rate = attrgetter("rate")
    return max(met, key=rate, default=None), min(missed, key=rate, default=None)


def _search_interval_rate(probed: float, trials: Sequence[Trial]) -> float:
    if not trials:
        return FIRST_SHARE * probed
    met, missed = _search_interval(trials)
    if met is None and missed is not None:
        return math.exp(math.log(missed.rate) - _STEP_DOWN)
    if met is not None and missed is None:
        low = math.log(met.rate)
        towards = math.exp(low) + _TOWARDS_PROBE * (probed - math.exp(low))
        if towards > math.exp(low + MAX_SEARCH_INTERVAL / 4):
            return towards
        # Close to the probe, whose users may have been too few to keep every place busy.
        return math.exp(low + _STEP)
    return math.exp(_interpolated_crossing(trials))


def _interpolated_crossing(trials: Sequence[Trial]) -> float:
    """Return ln of the rate between the two ends of the bracket, by false position."""
    below, above = _search_interval(trials)
    assert below is not None  # noqa: S101 - asked where there is a search interval
    assert above is not None  # noqa: S101 - the same
    share = below.excess / (below.excess - above.excess)
    low, high = math.log(below.rate), math.log(above.rate)
    # False position alone may creep towards one end, trial by trial.
    return low + min(max(share, 0.2), 0.8) * (high - low)


def _line_crossing(trials: Sequence[Trial], level_spacing: float) -> ZeroCrossing | None:
    """Return where the line through the trials near its own crossing is zero."""
    if None in _search_interval(trials):
        return None
    centre, crossing = _interpolated_crossing(trials), None
    for _ in range(_ROUNDS):
        width = _near(centre, level_spacing)
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


def _half_width(crossing: ZeroCrossing) -> float:
    return (crossing.upper - crossing.lower) / 2


_LEVEL_SPACING = 1.0
_BEYOND = 1.1
"""How much farther than predicted a trial goes that is to find the other end of the bracket."""


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
    bracketed = _first_narrow_search_interval(trials, _LEVEL_SPACING)
    if bracketed is None:
        return _bracketing_users(within, probe, trials)
    level = _level_around(trials, len(trials) - bracketed, seed, _LEVEL_SPACING)
    return None if level is None else within.nearest(level)


def estimate_users(trials: Sequence[Trial]) -> CapacityEstimate:
    """Return the highest whole number of users that meets the limits, and its interval."""
    found = estimate(trials, _LEVEL_SPACING)
    if found.rate is None or found.lower is None or found.upper is None:
        return found
    # Rounded down: one user more than the crossing misses the limit.
    levels = found.rate, found.lower, found.upper
    rate, lower, upper = (float(math.floor(each)) for each in levels)
    # A trial met the limits, so that a crossing below one user is chance: the longer run decides.
    return replace(found, rate=max(rate, 1.0), lower=lower, upper=max(upper, 1.0))


def _bracketing_users(within: UserRange, probe: Trial, trials: Sequence[Trial]) -> int | None:
    if not trials:
        return within.nearest(probe.predicted)
    met, missed = _search_interval(trials)
    if met is not None and missed is not None:
        between = within.nearest(math.exp(_interpolated_crossing(trials)))
        return min(max(between, round(met.rate) + 1), round(missed.rate) - 1)
    if met is not None:
        wanted = within.nearest(max(met.predicted * _BEYOND, met.rate + 1))
        return wanted if wanted > met.rate else None
    if missed is not None:
        wanted = within.nearest(min(missed.predicted / _BEYOND, missed.rate - 1))
        return wanted if wanted < missed.rate else None
    return None
