"""How long a user waits between a response and the next request."""

import math

from solrbench.api.v1alpha1.load.load import ThinkTime
from solrbench.load.schedule.seeds import uniform

_MOST_MEANS = 53 * math.log(2)
"""Longest draw of an exponential distribution, in its means: `uniform` has 53 bits."""


def longest_think_seconds(spec: ThinkTime) -> float:
    """Return the longest wait that can be drawn, in seconds."""
    if spec.exponential_mean_milliseconds is not None:
        return _MOST_MEANS * spec.exponential_mean_milliseconds / 1000
    longest = spec.constant_milliseconds
    if spec.uniform is not None:
        longest = spec.uniform.max_milliseconds
    return (longest or 0) / 1000


def think_seconds(spec: ThinkTime, seed: int, turn: int) -> float:
    """Return the wait number `turn` (from 0) of the user whose stream is `seed`, in seconds."""
    if spec.constant_milliseconds is not None:
        return spec.constant_milliseconds / 1000
    draw = uniform(seed, turn)
    if spec.uniform is not None:
        bounds = spec.uniform
        low, high = bounds.min_milliseconds, bounds.max_milliseconds
        return (low + draw * (high - low)) / 1000
    if spec.exponential_mean_milliseconds is not None:
        # Inversion of the exponential distribution; 1 - draw is never 0.
        return -math.log(1 - draw) * spec.exponential_mean_milliseconds / 1000
    raise ValueError("thinkTime sets no time")
