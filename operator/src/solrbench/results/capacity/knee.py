"""Knees, by asymptotes: where two straight lines meet that the measured curve clings to.

Throughput of a closed loop grows in proportion to its users while nothing queues, and stands still
when the bottleneck is busy: the lines meet at X_max / (X(1) / N(1)) users (Lazowska, Zahorjan,
Graham, Sevcik, Quantitative System Performance, 1984, chapter 5). Unlike the largest distance from
a chord ("Kneedle"), that does not move with the end of the ladder.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solrbench.results.objectives.measures import MeasuredValue
from solrbench.results.stats.repeat_statistics import confidence_interval


@dataclass(frozen=True)
class Knee:
    """A knee.

    Attributes:
        at: the place, in users or requests in flight
        interval: its 95 % interval; None if it is unknown

    """

    at: float
    interval: tuple[float, float] | None


def knee_in_flight(
    highest_rate: MeasuredValue | None, unloaded: MeasuredValue | None
) -> Knee | None:
    """Return the requests in flight at which a target begins to queue, by Little's law.

    Args:
        highest_rate: requests per second of the busy target
        unloaded: mean time of its responses in ms when nothing queues

    """
    if highest_rate is None or unloaded is None:
        return None
    at = highest_rate.value * unloaded.value / _MILLISECONDS
    if highest_rate.interval is None or unloaded.interval is None or not at:
        return Knee(at, None)
    widths = [
        math.log(upper / lower) / 2 if lower > 0 else math.inf
        for lower, upper in (highest_rate.interval, unloaded.interval)
    ]
    half = math.hypot(*widths)
    return Knee(at, (at * math.exp(-half), at * math.exp(half))) if half < _MOST else Knee(at, None)


_MILLISECONDS = 1000
_MOST = 5.0
"""Half width in ln from which an interval says nothing."""

LEAST_LEVELS = 3
"""Levels that a ladder needs to show two asymptotes."""

GROWTH = 1.5
"""How often the rate of the lowest level the highest must have: else the ladder begins too high."""


def find_knee(repeats: Sequence[Mapping[int, float]]) -> Knee | None:
    """Return the knee of ladders of users; None if they do not show one.

    Args:
        repeats: requests per second by number of users, repeat by repeat

    """
    places = [place for rates in repeats if (place := _knee(rates)) is not None]
    if not places or len(places) < len(repeats):
        return None
    logarithms = [math.log(each) for each in places]
    mean = math.exp(sum(logarithms) / len(logarithms))
    if len(places) < 2:
        return Knee(mean, None)
    lower, upper = confidence_interval(logarithms)
    return Knee(mean, (math.exp(lower), math.exp(upper)))


def _knee(rates: Mapping[int, float]) -> float | None:
    if len(rates) < LEAST_LEVELS:
        return None
    lowest = min(rates)
    most = max(rates.values())
    if rates[lowest] <= 0 or most < GROWTH * rates[lowest]:
        return None
    return most / (rates[lowest] / lowest)
