"""How late a server responds: seeded delays in seconds, one after another."""

import math
import random
from collections.abc import Callable, Iterator
from functools import partial

Delays = Callable[[random.Random], Iterator[float]]

_TAIL_INDEX = 1.8
"""Of the Pareto distribution: a mean, but no variance."""


def constant(draw: random.Random) -> Iterator[float]:
    """Yield 40 ms again and again."""
    del draw
    while True:
        yield 0.040


def bimodal(draw: random.Random) -> Iterator[float]:
    """Yield 30 ms, and 250 ms in 5 % of all cases, as with a cache that misses."""
    while True:
        yield 0.250 if draw.random() < 0.05 else 0.030


def heavy_tail(draw: random.Random) -> Iterator[float]:
    """Yield 10 ms and more, Pareto distributed, cut at 2 s."""
    while True:
        yield min(0.010 * math.pow(1 - draw.random(), -1 / _TAIL_INDEX), 2.0)


def nothing(draw: random.Random) -> Iterator[float]:
    """Yield 0 again and again."""
    del draw
    while True:
        yield 0.0


REPEAT_REQUESTS = 60
"""Delays that share a level in `repeats`."""


def repeats(draw: random.Random, cv: float, slower_percent: float) -> Iterator[float]:
    """Yield about 100 ms: each repeat has a level of its own, every second one of another side.

    Args:
        draw: of the levels
        cv: standard deviation of their logarithms
        slower_percent: how much slower the second side is
    """
    while True:
        for shift in (0.0, math.log1p(slower_percent / 100)):
            level = 0.100 * math.exp(shift + draw.gauss(0, cv))
            yield from (level for _ in range(REPEAT_REQUESTS))


DISTRIBUTIONS: dict[str, Delays] = {
    "constant": constant,
    "bimodal": bimodal,
    "heavy-tail": heavy_tail,
    "none": nothing,
    "repeats": partial(repeats, cv=0.015, slower_percent=0),
    "slower": partial(repeats, cv=0.018, slower_percent=5),
    "slightly-slower": partial(repeats, cv=0.008, slower_percent=2),
}
