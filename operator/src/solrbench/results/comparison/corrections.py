"""Corrections for many tests at once: which of them hold, given their p values."""

from collections.abc import Callable, Sequence

Correction = Callable[[Sequence[float], float], list[bool]]
"""From p values and a level to which of the tests hold, in their order."""


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Return which tests hold, if at most `level` of all families may have any false one.

    The j-th smallest of m p values must be at most level / (m - j + 1); the first that is not ends
    it (Holm, A simple sequentially rejective multiple test procedure, 1979).
    """
    held = [False] * len(p_values)
    for place, index in enumerate(_ascending(p_values)):
        if p_values[index] > level / (len(p_values) - place):
            break
        held[index] = True
    return held


def benjamini_hochberg(p_values: Sequence[float], level: float) -> list[bool]:
    """Return which tests hold, if `level` is the expected share of false ones among them.

    All up to the largest j whose j-th smallest of m p values is at most level * j / m (Benjamini
    and Hochberg, Controlling the false discovery rate, 1995).
    """
    ordered, count = _ascending(p_values), len(p_values)
    passed = [
        place
        for place, index in enumerate(ordered, start=1)
        if p_values[index] <= level * place / count
    ]
    held = set(ordered[: max(passed, default=0)])
    return [index in held for index in range(count)]


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)
