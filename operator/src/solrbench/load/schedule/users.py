"""How long a user waits between a response and the next request."""

import math

from solrbench.api.v1alpha1.load.think_time import ThinkTime
from solrbench.load.schedule.seeds import seed_of, uniform

_MOST_MEANS = 53 * math.log(2)
"""Longest draw of an exponential distribution, in its means: `uniform` has 53 bits."""


def longest_think_seconds(spec: ThinkTime) -> float:
    """Return the longest wait that can be drawn, in seconds."""
    if spec.exponential_mean_milliseconds is not None:
        return _MOST_MEANS * spec.exponential_mean_milliseconds / 1000
    longest: float = (spec.constant_milliseconds or 0) * (1 + (spec.jitter_percent or 0) / 100)
    if spec.uniform is not None:
        longest = spec.uniform.max_milliseconds
    return longest / 1000


def think_seconds(spec: ThinkTime, seed: int, turn: int) -> float:
    """Return the wait number `turn` (from 0) of the user whose stream is `seed`, in seconds."""
    if spec.constant_milliseconds is not None and not spec.jitter_percent:
        return spec.constant_milliseconds / 1000
    draw = uniform(seed, turn)
    if spec.constant_milliseconds is not None:
        share = 1 + (2 * draw - 1) * (spec.jitter_percent or 0) / 100
        return share * spec.constant_milliseconds / 1000
    if spec.uniform is not None:
        bounds = spec.uniform
        low, high = bounds.min_milliseconds, bounds.max_milliseconds
        return (low + draw * (high - low)) / 1000
    if spec.exponential_mean_milliseconds is not None:
        # Inversion of the exponential distribution; 1 - draw is never 0.
        return -math.log(1 - draw) * spec.exponential_mean_milliseconds / 1000
    raise ValueError("thinkTime sets no time")


def first_wait_seconds(spec: ThinkTime, seed: int) -> float:
    """Return the wait before the first request of the user whose stream is `seed`, in seconds.

    It is what is left of a think time that is under way: users who start together and think as long
    would else send together for the whole step. Longer waits are more often under way, so a random
    part of an ordinary one would let too many users begin early (Cox, Renewal Theory, 1962, chapter
    5: the equilibrium renewal process). What is left of an exponential time is distributed alike.
    """
    own = seed_of("first", seed)
    if spec.exponential_mean_milliseconds is not None:
        return think_seconds(spec, own, 1)
    low, high = _bounds_seconds(spec)
    under_way = math.sqrt(low * low + uniform(own, 1) * (high * high - low * low))
    return uniform(own, 0) * under_way


def _bounds_seconds(spec: ThinkTime) -> tuple[float, float]:
    """Return the bounds of a think time that is drawn evenly."""
    if spec.uniform is not None:
        return spec.uniform.min_milliseconds / 1000, spec.uniform.max_milliseconds / 1000
    mean, share = (spec.constant_milliseconds or 0) / 1000, (spec.jitter_percent or 0) / 100
    return mean * (1 - share), mean * (1 + share)


def pacing_wait_seconds(pacing_milliseconds: int, passed_seconds: float) -> float:
    """Return the wait of a paced user whose last request began so many seconds ago, in seconds."""
    return max(pacing_milliseconds / 1000 - passed_seconds, 0.0)


def first_pacing_wait_seconds(pacing_milliseconds: int, seed: int) -> float:
    """Return the wait before the first request of a paced user, evenly drawn, in seconds."""
    return uniform(seed_of("first", seed), 0) * pacing_milliseconds / 1000
