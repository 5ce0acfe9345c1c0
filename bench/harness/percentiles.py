"""Percentiles of samples that are all known."""

import math
from collections.abc import Sequence
from fractions import Fraction

from solrbench.contract.step_document import StepRunResult
from solrbench.stats.histograms import merge

PERCENTS = (50.0, 90.0, 99.0, 99.9)


def exact_percentile(samples: Sequence[int], percent: float) -> int:
    """Return the nearest-rank percentile: the least sample that `percent` % do not exceed."""
    rank = math.ceil(Fraction(str(percent)) * len(samples) / 100)
    return sorted(samples)[rank - 1]


def reported_percentile(document: StepRunResult, percent: float) -> int:
    """Return the percentile of the service times of a step run, in µs.

    Raises:
        ValueError: nothing was measured.
    """
    found = merge(each.service_time_histogram for each in document.requests).percentile(percent)
    if found is None:
        raise ValueError(f"step run {document.id} has no requests")
    return found


def worst_of(reported: Sequence[int], known: Sequence[int]) -> float:
    """Return how far figures are off, 1 being the bar: 1 % or 200 µs, whichever is wider."""
    return max(
        abs(one - other) / max(0.01 * other, 200.0)
        for one, other in zip(reported, known, strict=True)
    )
