"""The runs that confirm a rate, or a number of users, before the search says `Found`.

Trials are short and begin with empty queues, so the line through them may cross the limit above
what a target serves for an hour: it may slow down after minutes, stand still every few minutes, or
differ from run to run. Two longer runs just below the result must hold, one that begins like a
trial, and one that begins with more requests than the target can serve. Where the limit is far
above what a request takes alone, a target that is 3 % slower in a run misses it by far: two lower
shares of the result are tried then, and what holds is the result.

A target that holds the rate, but not after such an overload, is metastable (Bronson, Aghayev,
Charapko, Zhu, Metastable failures in distributed systems, HotOS 2021): once overloaded, it stays
slow. It is called so only if it does three times, and lower rates show where it recovers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS

MAX_CLIFF_OVERLAP = 0.05
"""How far apart, in ln, the lowest rate that missed and the highest that met are at a cliff: the
curve is no line there, but all that miss do so by far."""

CONFIRMED_SHARES = (0.97, 0.94, 0.91)
"""Shares of the result, one of which must hold: one that is 1 or 2 % too high is a right one."""

STUCK_EXCESS = 0.5
"""Excess from which on a target has not recovered: its response times are twice the limit."""

RECOVERY_SHARES = (0.9, 0.8, 0.7)
"""Shares of the result at which a metastable target may recover."""

# Near a cliff, or in another state, a run may miss by chance.
_STUCK_RUNS = 3
"""Runs in a row after an overload that must end beyond `STUCK_EXCESS`."""

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


@dataclass(frozen=True)
class Confirmation:
    """What the confirming runs say.

    Attributes:
        next_run: the run that is still to be measured; None at the end
        held_share: by how much the result is lowered to what was held, at least before an overload;
            None if nothing was held
        recovered_share: share of the result at which a metastable target recovered, 0 if at none;
            None if it is not metastable
    """

    next_run: ConfirmingRun | None = None
    held_share: float | None = None
    recovered_share: float | None = None


def confirm(
    excesses: Sequence[float],
    held_excess: float,
    *,
    has_overload: bool,
    may_lower: bool = False,
    has_users: bool = False,
) -> Confirmation:
    """Return what the confirming runs say, given their excesses in order, and what is held.

    Of users, for whom nothing piles up, there is one run, and one run alone does not lower a
    result. Of rates without an overload the first one is repeated: a run in which a target is 3 %
    faster holds what is 6 % too high, as one of ten does where speeds differ by 2 %.
    """
    left = list(excesses[:MAX_CONFIRMATIONS])
    for share in CONFIRMED_SHARES[: None if may_lower and not has_users else 1]:
        lowered, stuck = share / CONFIRMED_SHARES[0], 0
        if not left:
            return _ask(excesses, ConfirmingRun(share))
        if left.pop(0) > held_excess:
            continue
        if has_users:
            return Confirmation(held_share=lowered)
        while stuck < _STUCK_RUNS:
            if not left:
                return _ask(excesses, ConfirmingRun(share, is_after_overload=has_overload))
            excess = left.pop(0)
            if excess <= held_excess and not stuck:
                return Confirmation(held_share=lowered)
            if excess < STUCK_EXCESS or not has_overload:
                break  # Held after it was not, it shows that runs differ.
            stuck += 1
        else:
            return _recover(excesses, left, lowered, held_excess)
    return Confirmation()


def _recover(
    excesses: Sequence[float], left: Sequence[float], lowered: float, held_excess: float
) -> Confirmation:
    """Return what the runs at lower rates say of a metastable target."""
    for share, excess in zip(RECOVERY_SHARES, left, strict=False):
        if excess <= held_excess:
            return Confirmation(held_share=lowered, recovered_share=share)
    if len(left) < len(RECOVERY_SHARES) and len(excesses) < MAX_CONFIRMATIONS:
        run = ConfirmingRun(RECOVERY_SHARES[len(left)], is_after_overload=True)
        return Confirmation(next_run=run)
    return Confirmation(held_share=lowered, recovered_share=0.0)


def _ask(excesses: Sequence[float], run: ConfirmingRun) -> Confirmation:
    return Confirmation(next_run=run if len(excesses) < MAX_CONFIRMATIONS else None)


def can_overload(probe_responses: float) -> bool:
    """Return whether the probe's rate is known well enough for an overload that ends in time."""
    return probe_responses >= _MIN_PROBED


def overload_rate(found: float, probed: float) -> float:
    """Return the rate from which a ramp falls to the result, beyond what the target can serve."""
    return max(probed + _OVERLOAD * (probed - found), found)
