"""The figures of a point over its rounds.

Of the figures before only mean and deviation are known; with those of the round they give the ones
of all repeats (Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing
sample variances, 1979). p95 and its deviation are merged on the logarithmic scale, as they are
compared there.
"""

import math
from typing import NamedTuple

from solrbench.api.v1alpha1.sweep.spec import Metric
from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.stats.number_format import round_significant
from solrbench.sweep.results.best_point import figure_of
from solrbench.sweep.states import PointState

DIGITS = 4
"""Significant digits of a figure: less than its noise, and 500 points stay small."""

_MEANS = (
    "failed_percent",
    "cpu_milliseconds_per_request",
    "read_bytes_per_request",
    "reads_per_request",
)


class _Sample(NamedTuple):
    """Some repeats: their number, mean and sum of squares around it."""

    size: int
    mean: float
    squares: float

    def joined(self, other: "_Sample") -> "_Sample":
        size, apart = self.size + other.size, other.mean - self.mean
        return _Sample(
            size,
            self.mean + apart * other.size / size,
            self.squares + other.squares + apart**2 * self.size * other.size / size,
        )


def add_round(before: SweepPoint, ended: SweepPoint, metric: Metric) -> SweepPoint:
    """Return a point after another round; what is Invalid is left out if anything else is there.

    Args:
        before: the point with the figures of the rounds before, none if there was no Valid one
        ended: the same with those of the round alone
        metric: the figure of the objective, which the deviation is of

    """
    rounds = (before.rounds or 0) + 1
    if figure_of(before, metric) is None:
        return ended.model_copy(update={"rounds": rounds})
    if ended.state == PointState.INVALID or figure_of(ended, metric) is None:
        return before.model_copy(update={"state": PointState.VALID, "rounds": rounds})
    return ended.model_copy(update={"rounds": rounds, **_merge(before, ended, metric)})


def _merge(before: SweepPoint, ended: SweepPoint, metric: Metric) -> dict[str, float | None]:
    joined = _sample(before, metric).joined(_sample(ended, metric))
    deviation = math.sqrt(math.expm1(joined.squares / (joined.size - 1)))
    figures = {
        Metric.P95_MILLISECONDS: _geometric(before, ended, Metric.P95_MILLISECONDS),
        Metric.REQUESTS_PER_SECOND: _geometric(before, ended, Metric.REQUESTS_PER_SECOND),
    }
    return {
        "p95_milliseconds": figures[Metric.P95_MILLISECONDS],
        "requests_per_second": figures[Metric.REQUESTS_PER_SECOND],
        "repeats": joined.size,
        "deviation_percent": round_significant(100 * deviation, DIGITS),
        "reads_deviation": _reads_deviation(before, ended),
        **{name: _mean(name, before, ended) for name in _MEANS},
    }


def _sample(point: SweepPoint, metric: Metric) -> _Sample:
    size = point.repeats or 1
    variance = math.log1p(((point.deviation_percent or 0.0) / 100) ** 2)
    return _Sample(size, math.log(figure_of(point, metric) or 1.0), variance * (size - 1))


def _geometric(before: SweepPoint, ended: SweepPoint, metric: Metric) -> float | None:
    if not figure_of(before, metric) or not figure_of(ended, metric):
        return figure_of(ended, metric) or figure_of(before, metric)
    joined = _sample(before, metric).joined(_sample(ended, metric))
    return round_significant(math.exp(joined.mean), DIGITS)


def _mean(name: str, before: SweepPoint, ended: SweepPoint) -> float | None:
    old: float | None = getattr(before, name)
    new: float | None = getattr(ended, name)
    if old is None or new is None:
        return old if new is None else new
    sizes = before.repeats or 1, ended.repeats or 1
    return round_significant((old * sizes[0] + new * sizes[1]) / sum(sizes), DIGITS)


def _reads_deviation(before: SweepPoint, ended: SweepPoint) -> float | None:
    if before.reads_per_request is None or ended.reads_per_request is None:
        return ended.reads_deviation
    joined = _reads(before).joined(_reads(ended))
    return round_significant(math.sqrt(joined.squares / (joined.size - 1)), DIGITS)


def _reads(point: SweepPoint) -> _Sample:
    size = point.repeats or 1
    squares = (point.reads_deviation or 0.0) ** 2 * (size - 1)
    return _Sample(size, point.reads_per_request or 0.0, squares)
