"""Values of repeats for tests."""

import math
from collections.abc import Iterable
from random import Random

from solrbench.analysis.differences import RepeatValue, estimate_difference
from solrbench.analysis.metrics import P95, ComparisonMetric, Difference


def figures(values: Iterable[float], *, targets: Iterable[str] | None = None) -> list[RepeatValue]:
    """Return a figure for each value; each is of a target of its own unless `targets` are given."""
    listed = list(values)
    own = [f"target-{n}" for n in range(len(listed))] if targets is None else list(targets)
    return [
        RepeatValue(repeat, target, value)
        for repeat, (value, target) in enumerate(zip(listed, own, strict=True), start=1)
    ]


def drawn(seed: int, count: int, *, cv: float, slower_percent: float = 0.0) -> list[RepeatValue]:
    """Return figures that vary by `cv`, about 100 ms and so much slower."""
    draw = Random(seed)
    level = 100 * (1 + slower_percent / 100)
    return figures(level * math.exp(draw.gauss(0, cv)) for _ in range(count))


def compared(
    baseline: list[RepeatValue],
    candidate: list[RepeatValue],
    metric: ComparisonMetric = P95,
    *,
    in_rounds: bool = False,
) -> Difference:
    """Return the difference, which must be there."""
    found = estimate_difference(metric, baseline, candidate, in_rounds=in_rounds)
    assert found is not None
    return found


def spread(mean: float, count: int, deviation_percent: float) -> list[float]:
    """Return values with this geometric mean, of whose logarithms this is the deviation.

    They come from both ends in turn: in order, they would have a trend.
    """
    places = [index - (count - 1) / 2 for index in range(count)]
    scale = math.sqrt(sum(each**2 for each in places) / (count - 1)) if count > 1 else 1.0
    in_turn = [places[index // 2 if index % 2 else -1 - index // 2] for index in range(count)]
    return [mean * math.exp(deviation_percent / 100 * each / scale) for each in in_turn]
