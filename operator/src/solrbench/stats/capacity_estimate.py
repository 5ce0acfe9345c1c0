"""What the trials of a search say: the highest rate, or number of users, that meets the limits.

It is where the line through the trials crosses zero, with the interval of that; or why it is not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from solrbench.stats.capacity_line import (
    MIN_NEAR_TRIALS,
    MIN_TRIAL_DISTANCE,
    NEAR,
    STEEP,
    TARGET_OVERSHOOT,
    USER_SPACING,
    Trial,
    are_too_short,
    first_narrow_search_interval,
    half_width,
    line_crossing,
    line_reach,
    search_interval,
)
from solrbench.stats.confirmation import MAX_CLIFF_OVERLAP
from solrbench.stats.number_format import format_number
from solrbench.stats.regression import ZeroCrossing

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

MIN_SLOPE = 0.8
"""Excess for each unit of ln of the rate, below which the limit does not depend on the rate."""

MIN_USER_SLOPE = 0.3
"""The same for users: in a closed loop without think time, response times grow in proportion to
them at most, so that the slope is 1 where the limit is an average."""

CURVATURE = 0.01
"""What the bend of the curve may move the crossing by; the interval is so much wider."""

_MAX_SHOWN_HALF_WIDTH = 2.0
"""Half of the interval's width, in ln of the rate, beyond which its bounds say nothing."""


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


def estimate(trials: Sequence[Trial], level_spacing: float = 0.0) -> CapacityEstimate:
    """Return what the trials say of the highest rate, or level, that meets the limits."""
    met, missed = (None if each is None else each.rate for each in search_interval(trials))
    unknown = CapacityEstimate(None, None, None, met, missed)
    if met is None or missed is None:
        problem = "no trial met the objectives" if met is None else "no trial missed an objective"
        return replace(unknown, problem=problem)
    crossing = line_crossing(trials, level_spacing)
    if crossing is None and first_narrow_search_interval(trials, level_spacing) is None:
        problem = "the trials were too few to come near what just meets the objectives"
        return replace(unknown, problem=problem, is_short=True)
    problem = _line_problem(crossing, level_spacing, is_contradicted=met > missed)
    if crossing is None or problem:
        cliff = _find_cliff(trials, math.log(met), math.log(missed))
        if cliff is None:
            rises = crossing is not None and _rises(crossing, level_spacing)
            is_short = rises and crossing is not None and crossing.points < MIN_NEAR_TRIALS
            unknown = replace(unknown, is_noisy=rises or met > missed, is_short=is_short)
            if not _became_faster(trials):
                return replace(unknown, problem=problem)
            problem = (
                "later trials met the objectives under more load than those that missed them,"
                " as if the target were still warming up"
            )
            return replace(unknown, problem=problem, is_cold=True)
        lower, upper = cliff
        at, slope = (lower + upper) / 2, math.inf
    else:
        at, lower, upper, slope = crossing.at, crossing.lower, crossing.upper, crossing.slope
        if are_too_short(trials, crossing, level_spacing):
            problem = "trials are too short for the queue: what they measure has no interval"
            return replace(unknown, problem=problem, is_noisy=True)
    bounds = math.exp(lower - CURVATURE), math.exp(upper + CURVATURE)
    held = min(HELD_SHARE * slope, MAX_HELD_EXCESS)
    return CapacityEstimate(
        math.exp(at),
        *bounds,
        met,
        missed,
        held_excess=held,
        is_steep=slope >= STEEP,
        near=line_reach(at, level_spacing),
    )


def estimate_users(trials: Sequence[Trial]) -> CapacityEstimate:
    """Return the highest whole number of users that meets the limits, and its interval."""
    found = estimate(trials, USER_SPACING)
    if found.rate is None or found.lower is None or found.upper is None:
        return found
    # Rounded down: one user more than the crossing misses the limit.
    levels = found.rate, found.lower, found.upper
    rate, lower, upper = (float(math.floor(each)) for each in levels)
    # A trial met the limits, so that a crossing below one user is chance: the longer run decides.
    return replace(found, rate=max(rate, 1.0), lower=lower, upper=max(upper, 1.0))


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
    if not half_width(crossing) <= most:
        half, spread = half_width(crossing), ""
        # A line that is too flat has bounds that say nothing.
        if half < _MAX_SHOWN_HALF_WIDTH:
            spread = f"±{format_number(100 * math.expm1(half))} %, "
        return f"trials vary too much ({spread}at most ±{format_number(100 * most)} % wanted)"
    return ""
