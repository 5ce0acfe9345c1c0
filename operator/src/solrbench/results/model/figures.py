"""Figures of one step run with 95 % confidence intervals. Parts of `RequestResult`."""

from solrbench.api.rules import LenientModel


class Figure(LenientModel):
    """A number in µs with the bounds of its interval."""

    microseconds: float
    lower_microseconds: float | None = None
    """None if the step run was too short for an interval, as the upper bound."""
    upper_microseconds: float | None = None


class PercentileFigure(Figure):
    """One of `load.percentiles`."""

    percent: float


class TimeFigures(LenientModel):
    """Times of one request name."""

    mean: Figure
    percentiles: list[PercentileFigure]
