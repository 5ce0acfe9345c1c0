"""Planted leaks and steady runs against the rule of trends, by simulation, scaled to minutes.

A run is a heap after collections, in MiB, read once a second: a level of 600 with slow noise and a
sawtooth of 250. A leak grows by 20 to 60 % of the level, beside a cache that fills by 80 to 160 %.
Seeds are fixed.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row
from solrbench.analysis.trends import Growth, SeriesPoint, SeriesShape, cut_windows, find_growth

Floats = NDArray[np.float64]

LEVEL = 600.0
_SAWTOOTH = 250.0
_COLLECTIONS_EACH = 7
"""Seconds between two collections."""
_SLOPE_WITHIN = 0.2


def noise(rng: np.random.Generator, seconds: int) -> Floats:
    """Return slow noise of 1 % of the level, AR(1) of 0.98 by the second."""
    found = np.empty(seconds)
    last = rng.standard_normal()
    for index, step in enumerate(rng.standard_normal(seconds)):
        last = 0.98 * last + np.sqrt(1 - 0.98**2) * step
        found[index] = last
    return 0.01 * LEVEL * found


def heap(rng: np.random.Generator, seconds: int) -> Floats:
    """Return a heap that does not grow: level, noise and sawtooth."""
    saw = (np.arange(seconds) + rng.integers(_COLLECTIONS_EACH)) % _COLLECTIONS_EACH
    return np.asarray(LEVEL + noise(rng, seconds) + _SAWTOOTH * saw / _COLLECTIONS_EACH)


def cache(rng: np.random.Generator, seconds: int) -> Floats:
    """Return a cache that fills by 200 MiB within the first half."""
    tau = rng.uniform(0.03, 0.2) * seconds
    return np.asarray(200 * (1 - np.exp(-np.arange(seconds) / tau)))


def day_wave(rng: np.random.Generator, seconds: int) -> Floats:
    """Return a load that moves by half, once to twice in the run."""
    turns = rng.uniform(1, 2)
    phase = rng.uniform(0, 2 * np.pi)
    return np.asarray(np.sin(2 * np.pi * turns * np.arange(seconds) / seconds + phase))


def one_step(rng: np.random.Generator, seconds: int) -> Floats:
    """Return one rise of 100 MiB, somewhere in the middle."""
    at = rng.uniform(0.2, 0.8) * seconds
    return np.asarray(100.0 * (np.arange(seconds) > at))


def found_in(values: Floats, load: Floats | None = None) -> Growth | None:
    """Return what the product says of a series with a value a second."""
    windows = cut_windows([SeriesPoint(i, float(v)) for i, v in enumerate(values)], min)
    rates = None
    if load is not None:
        parts = cut_windows([SeriesPoint(i, float(v)) for i, v in enumerate(load)], np.median)
        rates = parts.values
    return find_growth(windows.seconds, windows.values, rates)


def _leak(rng: np.random.Generator, seconds: int, *, beside_cache: bool) -> tuple[Floats, float]:
    share = rng.uniform(0.8, 1.6) if beside_cache else rng.uniform(0.2, 0.6)
    slope = share * LEVEL / seconds
    filling = cache(rng, seconds) if beside_cache else np.zeros(seconds)
    return heap(rng, seconds) + filling + slope * np.arange(seconds), slope


def named(runs: int, seconds: int) -> tuple[int, int]:
    """Return how many planted leaks are named, and of how many the slope is within 20 % too."""
    hits = close = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        values, slope = _leak(rng, seconds, beside_cache=seed % 2 == 1)
        growth = found_in(values)
        if growth is not None and growth.shape is SeriesShape.GROWS:
            hits += 1
            close += abs(growth.slope - slope) <= _SLOPE_WITHIN * slope
    return hits, close


def _with_wave(rng: np.random.Generator, seconds: int) -> tuple[Floats, Floats | None]:
    wave = day_wave(rng, seconds)
    return heap(rng, seconds) + 0.1 * LEVEL * wave, 100 * (1 + 0.5 * wave)


STEADY: dict[str, Callable[[np.random.Generator, int], tuple[Floats, Floats | None]]] = {
    "sawtooth": lambda rng, seconds: (heap(rng, seconds), None),
    "filling cache": lambda rng, seconds: (heap(rng, seconds) + cache(rng, seconds), None),
    "day wave": _with_wave,
    "one step": lambda rng, seconds: (heap(rng, seconds) + one_step(rng, seconds), None),
}


def accused(runs: int, seconds: int) -> dict[str, int]:
    """Return how many of `runs` steady runs, the kinds in turn, are said to grow, by kind."""
    found = dict.fromkeys(STEADY, 0)
    for seed in range(runs):
        kind = list(STEADY)[seed % len(STEADY)]
        values, load = STEADY[kind](np.random.default_rng(10_000 + seed), seconds)
        growth = found_in(values, load)
        found[kind] += growth is not None and growth.shape is SeriesShape.GROWS
    return found


def trends(folder: Path, times: int, seconds: int) -> list[Row]:
    """Return the rows of 40 leaks and 60 steady runs, `times` as many."""
    del folder
    leaks, steady = 40 * times, 60 * times
    hits, close = named(leaks, seconds)
    wrong = accused(steady, seconds)
    kinds = ", ".join(f"{kind} {count}" for kind, count in wrong.items())
    detail = f"{leaks} runs of {seconds} s, half of them beside a filling cache"
    least, most = 39 / 40, 1 / 60
    return [
        Row("planted leaks named", ">= 39 of 40", f"{hits}/{leaks}", hits >= least * leaks, detail),
        Row("slope within 20 %", ">= 39 of 40", f"{close}/{leaks}", close >= least * leaks, detail),
        Row(
            "steady runs accused",
            "<= 1 of 60",
            f"{sum(wrong.values())}/{steady}",
            sum(wrong.values()) <= most * steady,
            kinds,
        ),
    ]
