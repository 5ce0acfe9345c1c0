"""How often equal repeats are said to differ, and real differences are found, by simulation.

Needs no cluster: `PYTHONPATH=operator/src:. python -m bench.statistics.false_alarms [RUNS]` prints
the table of docs/method.md. Seeds are fixed, so the same number of runs gives the same table.
"""

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solrbench.stats.repeats import batch_levels, compare_repeats

Floats = NDArray[np.float64]
Series = Callable[[np.random.Generator, int], Floats]
"""Returns the mean service time of each second of one repeat."""

_PER_SECOND = 100
_SIGMA = 0.6
"""Standard deviation of the logarithm of single service times."""
_ALLOWED_PERCENT = 3.0
_REPEATS = (2, 3, 5, 10)


def independent(rng: np.random.Generator, seconds: int) -> Floats:
    """Return the seconds of requests that have nothing to do with each other."""
    times: Floats = np.exp(_SIGMA * rng.standard_normal((seconds, _PER_SECOND)))
    return np.asarray(times.mean(axis=1))


def correlated_requests(rng: np.random.Generator, seconds: int) -> Floats:
    """Return the seconds of requests that resemble the one before, AR(1) with 0.9."""
    times: Floats = np.exp(_SIGMA * _autoregressive(rng, seconds * _PER_SECOND))
    return np.asarray(times.reshape(seconds, _PER_SECOND).mean(axis=1))


def correlated_seconds(rng: np.random.Generator, seconds: int) -> Floats:
    """Return seconds that resemble the one before, AR(1) with 0.9, by 20 %."""
    return independent(rng, seconds) * np.exp(0.2 * _autoregressive(rng, seconds))


def stalls(every: float, length: float = 0.2) -> Series:
    """Return a series in which all requests wait for the end of a stall now and then."""

    def series(rng: np.random.Generator, seconds: int) -> Floats:
        times = np.exp(_SIGMA * rng.standard_normal((seconds, _PER_SECOND))) * 0.01
        starts = rng.uniform(0, seconds, rng.poisson(seconds / every))
        waits = np.zeros(seconds * _PER_SECOND)
        for start in starts:
            first, end = np.ceil(_PER_SECOND * np.array([start, start + length])).astype(int)
            hit = np.arange(first, min(end, len(waits)))
            waits[hit] = np.maximum(waits[hit], start + length - hit / _PER_SECOND)
        return np.asarray((times + waits.reshape(seconds, _PER_SECOND)).mean(axis=1))

    return series


def _autoregressive(rng: np.random.Generator, count: int, weight: float = 0.9) -> Floats:
    noise = rng.standard_normal(count) * np.sqrt(1 - weight**2)
    values, last = [], rng.standard_normal()
    # A piece at a time: the powers of all would be beyond every number.
    for begin in range(0, count, 200):
        piece = noise[begin : begin + 200]
        powers = weight ** np.arange(1, len(piece) + 1)
        values.append(powers * (last + np.cumsum(piece / powers)))
        last = values[-1][-1]
    return np.concatenate(values)


PROCESSES: dict[str, tuple[Series, int]] = {
    "independent": (independent, 60),
    "AR(1) 0.9 by request": (correlated_requests, 60),
    "stalls of 0.2 s each 5 s": (stalls(5), 60),
    "stalls of 0.2 s each 5 s, 28 s": (stalls(5), 28),
    "stalls of 0.2 s each 20 s": (stalls(20), 60),
    "AR(1) 0.9 by second, 300 s": (correlated_seconds, 300),
    "AR(1) 0.9 by second, 60 s": (correlated_seconds, 60),
}

FAULTS: dict[str, Callable[[int], Floats]] = {
    "equal": np.ones,
    "first 30 % slower": lambda repeats: np.array([1.3] + [1.0] * (repeats - 1)),
    "last 30 % slower": lambda repeats: np.array([1.0] * (repeats - 1) + [1.3]),
    "3 % slower each repeat": lambda repeats: np.array([1.03**n for n in range(repeats)]),
}


def accused(
    process: str, fault: str, repeats: int, own_dispersion: float, runs: int
) -> Counter[str]:
    """Return how many of `runs` steps were accused, by way, and how many were too short."""
    series, seconds = PROCESSES[process]
    rng = np.random.default_rng(repeats)
    found: Counter[str] = Counter()
    for _ in range(runs):
        levels = FAULTS[fault](repeats) * np.exp(own_dispersion * rng.standard_normal(repeats))
        repeated = [(series(rng, seconds) * level).tolist() for level in levels]
        agreement = compare_repeats(batch_levels(repeated), _ALLOWED_PERCENT)
        if agreement is None:
            found["too short"] += 1
        elif agreement.disagreement is not None:
            found["accused"] += 1
    return found


def main(runs: int) -> None:
    """Print a row for each process, fault and own spread of the repeats, in per cent of `runs`."""
    print(f"{runs} runs, allowed {_ALLOWED_PERCENT:g} %; accused / too short in % of runs")
    for fault in FAULTS:
        for own_dispersion in (0.01, 0.02) if fault == "equal" else (0.01,):
            for process in PROCESSES:
                cells = []
                for repeats in _REPEATS:
                    counts = accused(process, fault, repeats, own_dispersion, runs)
                    shares = [100 * counts[each] / runs for each in ("accused", "too short")]
                    cells.append("{:.1f} / {:.1f}".format(*shares))
                row = " | ".join(cells)
                print(f"| {fault}, own {own_dispersion:.0%} | {process} | {row} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
