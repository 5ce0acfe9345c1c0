"""How often a bend is said where there is one, and where there is none, by simulation."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.harness.table import Row
from solrbench.stats.regression import CurveShape, SizeRuns, fit_segments

_SEED = 9
Curve = Callable[[float], float]

_JOINT = 0.55
CURVES: dict[str, tuple[Curve, bool]] = {
    "bend to a slope 6 times as steep": (lambda x: 1 + x + 5 * max(x - _JOINT, 0), True),
    "share that does not fit into memory": (lambda x: 4 * max(0.0, 1 - 0.55 / max(x, 0.01)), True),
    "straight line": (lambda x: 1 + 3 * x, False),
    "smooth x^1.5": (lambda x: 1 + 3 * x**1.5, False),
}


def bends(folder: Path, *, series: int) -> list[Row]:
    """Return a row for each curve, design and noise: how often it is said to bend."""
    del folder
    return [
        _row(name, sizes, noise, series)
        for name in CURVES
        for sizes in (6, 8)
        for noise in (0.05, 0.1)
    ]


def _row(name: str, count: int, noise: float, series: int) -> Row:
    curve, is_bent = CURVES[name]
    rng = np.random.default_rng(_SEED)
    found = [fit_segments(_sizes(curve, count, noise, rng)) for _ in range(series)]
    said = [each for each in found if each is not None and each.shape is CurveShape.BENDS]
    curved = sum(each is not None and each.shape is CurveShape.CURVED for each in found)
    share = 100 * len(said) / series
    held = sum(each.lower <= _JOINT <= each.upper for each in said)
    detail = f"{share:.0f} % as clear bends, {100 * curved / series:.0f} % curve or bend"
    if is_bent:  # either sentence names the joint
        share += 100 * curved / series
    if is_bent and said:
        off = np.mean([abs(each.joint - _JOINT) for each in said])
        detail += f", interval holds {100 * held / len(said):.0f} %, joint {100 * off:.0f} % off"
    bar = ">= 95 %" if is_bent else "<= 10 %"
    is_met = share >= 95 if is_bent else share <= 10
    what = f"{name}, {count} sizes x 3, noise {noise:.0%}"
    return Row(what, bar, f"{share:.0f} %", is_met, detail)


def _sizes(curve: Curve, count: int, noise: float, rng: np.random.Generator) -> list[SizeRuns]:
    """Return sizes with three runs each, whose noise is a share of their own level."""
    found = []
    for x in np.linspace(0.1, 1, count):
        level = curve(float(x))
        runs = level + rng.normal(0, noise * max(level, 0.05), 3)
        found.append(SizeRuns(float(x), float(runs.mean()), float(runs.std(ddof=1)), 3))
    return found
