"""How often ladders of users say what is not so: a decline that is none, a knee that is elsewhere.

The servers saturate at 80 requests/s from 8 users on, abruptly or with a shoulder; the rate of each
level and repeat is theirs with a log-normal error.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.harness.table import Row, at_least, at_most
from solrbench.analysis.scalability import declines, find_knee

USERS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48)
_RATE, _MAX_RATE = 10.0, 80.0
_SHOULDER = 6
_REPEATS = (3, 5, 10)
_DEVIATIONS = (0.005, 0.01, 0.02, 0.04)
_MAX_DECLINES, _MIN_HELD = 1.0, 93.0


def saturating_hard(users: int) -> float:
    """Return the rate of a server in which nothing queues before it is busy."""
    return min(_RATE * users, _MAX_RATE)


def saturating_softly(users: int) -> float:
    """Return the rate of a server that begins to queue before it is busy."""
    return float(((_RATE * users) ** -_SHOULDER + _MAX_RATE**-_SHOULDER) ** (-1 / _SHOULDER))


SERVERS: dict[str, Callable[[int], float]] = {"hard": saturating_hard, "soft": saturating_softly}


@dataclass(frozen=True)
class Ladders:
    """Ladders of one server."""

    server: Callable[[int], float]
    repeats: int
    deviation: float


class Found(NamedTuple):
    """Shares of ladders: those said to decline, and of those with a knee the right intervals."""

    declines: float
    held: float


def climb(ladders: Ladders, count: int, seed: int) -> Found:
    """Return what `count` ladders say."""
    draw = np.random.default_rng(seed)
    server = ladders.server
    truth = server(max(USERS)) / server(1)
    declined = held = knees = 0
    for _ in range(count):
        errors = draw.normal(0, ladders.deviation, (ladders.repeats, len(USERS)))
        repeats = [
            {
                users: server(users) * math.exp(error)
                for users, error in zip(USERS, row, strict=True)
            }
            for row in errors.tolist()
        ]
        declined += bool(declines(repeats))
        knee = find_knee(repeats)
        if knee is not None and knee.interval is not None:
            knees += 1
            held += knee.interval[0] <= truth <= knee.interval[1]
    return Found(declined / count, held / max(knees, 1))


def ladders(_folder: Path, count: int) -> list[Row]:
    """Measure each server with each number of repeats, over all deviations."""
    rows = []
    for name, server in SERVERS.items():
        for repeats in _REPEATS:
            found = [
                climb(Ladders(server, repeats, each), count, seed)
                for seed, each in enumerate(_DEVIATIONS)
            ]
            what = f"{name} ladders, {repeats} repeats"
            for title, row, bar, shares in (
                ("false declines", at_most, _MAX_DECLINES, [each.declines for each in found]),
                ("knee's interval holds", at_least, _MIN_HELD, [each.held for each in found]),
            ):
                mean = 100 * sum(shares) / len(shares)
                detail = "by deviation: " + ", ".join(f"{100 * each:.1f}" for each in shares)
                rows.append(row(f"{what}: {title}", mean, bar, "{:.1f} %", detail))
    return rows
