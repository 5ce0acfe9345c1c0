"""The runs that confirm a rate, or a number of users, before the search says `Found`.

Trials are short and begin with empty queues, so the line through them may cross the limit above
what a target serves for an hour: it may slow down after minutes, stand still every few minutes, or
differ from run to run. Two longer runs just below the result must hold, one that begins like a
trial, and one that begins with more requests than the target can serve. A target that holds the
rate, but not after such an overload, is metastable (Bronson, Aghayev, Charapko, Zhu, Metastable
failures in distributed systems, HotOS 2021): once overloaded, it stays slow. It is called so only
if it does three times, and lower rates show where it recovers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

CONFIRMED_SHARE = 0.97
"""Share of the result that must hold: a result that is 1 or 2 % too high is a right one."""

STUCK_EXCESS = 0.5
"""Excess from which on a target has not recovered: its response times are twice the limit."""

RECOVERY_SHARES = (0.9, 0.8, 0.7)
"""Shares of the result at which a metastable target may recover."""

_OVERLOAD = 0.25
"""How far beyond the probe's rate an overload begins, as a share of what the probe's rate is above
the result. Falling to the result, the rate leaves time for queues to be empty again."""

_MIN_PROBED = 1000
"""Responses of the probe, with fewer of which its rate is off by more than 3 % by chance."""


@dataclass(frozen=True)
class ConfirmingRun:
    """A run that is to be measured, at a share of the result."""

    share: float
    is_after_overload: bool = False


_RUNS = (
    ConfirmingRun(CONFIRMED_SHARE),
    # Near a cliff, or in another state, a run may miss by chance.
    *(ConfirmingRun(CONFIRMED_SHARE, is_after_overload=True),) * 3,
    *(ConfirmingRun(share, is_after_overload=True) for share in RECOVERY_SHARES),
)


@dataclass(frozen=True)
class Confirmation:
    """What the confirming runs say.

    Attributes:
        next_run: the run that is still to be measured; None at the end
        is_held: whether the result was held, at least before an overload
        recovered_share: share of the result at which a metastable target recovered, 0 if at none;
            None if it is not metastable
    """

    next_run: ConfirmingRun | None = None
    is_held: bool = False
    recovered_share: float | None = None


def confirm(excesses: Sequence[float], held_excess: float, *, has_overload: bool) -> Confirmation:
    """Return what the confirming runs say, given their excesses in order, and what is held.

    Without an overload, as of users, for whom nothing piles up, there is one run.
    """
    for index, (run, excess) in enumerate(zip(_RUNS, excesses, strict=False)):
        is_held = excess <= held_excess
        if not run.is_after_overload:
            if not is_held or not has_overload:
                return Confirmation(is_held=is_held)
        elif run.share != CONFIRMED_SHARE:
            if is_held:
                return Confirmation(is_held=True, recovered_share=run.share)
        elif is_held or excess < STUCK_EXCESS:
            # Held after it was not, it shows that runs differ.
            return Confirmation(is_held=is_held and index == 1)
    if len(excesses) < len(_RUNS):
        return Confirmation(next_run=_RUNS[len(excesses)])
    return Confirmation(is_held=True, recovered_share=0.0)


def can_overload(probe_responses: float) -> bool:
    """Return whether the probe's rate is known well enough for an overload that ends in time."""
    return probe_responses >= _MIN_PROBED


def overload_rate(found: float, probed: float) -> float:
    """Return the rate from which a ramp falls to the result, beyond what the target can serve."""
    return max(probed + _OVERLOAD * (probed - found), found)
